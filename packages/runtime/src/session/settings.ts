/** What of a turn's settings can be judged before anything is made: rules and hosts that mean nothing would loosen a turn unseen. */
import { canonicalJson, type Digest, type Refusal, refuse } from '@ramet/core';
import { parseHostRule } from '../sandbox/host-rules.ts';
import { sha256 } from '../store/index.ts';
import { findToolProblem } from '../tools/names.ts';
import type { TurnSettings } from './types.ts';

/** Refuses rules about tools there are not, and hosts that are none. */
export function refuseSettings({ rules, allowNet }: Pick<TurnSettings, 'rules' | 'allowNet'>): Refusal | null {
  for (const rule of rules) {
    const problem = findToolProblem(rule.tool);
    if (problem !== null) return refuse('bad_usage', `--${rule.do} ${rule.tool}: ${problem}`, { tool: rule.tool });
  }
  for (const host of allowNet) {
    const problem = findHostProblem(host);
    if (problem !== null) return refuse('bad_usage', `--allow-net ${host}: ${problem}`, { host });
  }
  return null;
}

/** What of the settings of a turn or a run its request says. */
export type SaidSettings = Omit<TurnSettings, 'signal' | 'observer' | 'limits' | 'ask'> & {
  readonly limits: object;
  /** Absent: nobody is there to be asked. */
  readonly ask?: unknown;
};

/** Equal for requests that are to be run in the same way: the other half of what an idempotency key stands for. */
export function digestSettings(settings: SaidSettings): Digest {
  const { model = null, baseUrl = null, sandbox, allowNet, rules, forgetRules = false, trustProject } = settings;
  const { limits, onAsk, ask } = settings;
  const reach = { sandbox, allowNet, rules, forgetRules, trustProject };
  return sha256(canonicalJson({ model, baseUrl, ...reach, limits, onAsk, isAsked: ask !== undefined }));
}

function findHostProblem(text: string): string | null {
  const rule = parseHostRule(text);
  if (rule?.host === '*') {
    return 'that is every public host; name those the commands need, for example registry.npmjs.org or *.example.org';
  }
  if (rule !== null) return null;
  const host = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && URL.canParse(text) ? new URL(text).host : '';
  return host === ''
    ? 'expected a host: example.org, *.example.org or example.org:443'
    : `expected a host, not a URL: ${host}`;
}
