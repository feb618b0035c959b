/**
 * What a call that waits may reach: the sandbox and the network it was asked about with, or began with. A person who
 * says yes says it to that call; with another reach it would be another call.
 */
import { type CallState, type EventOf, type Refusal, refuse, type SessionState } from '@ramet/core';
import { renderWords } from '@ramet/core/text';
import type { Tool } from '../tools/types.ts';
import { decideCall } from './turn/calls/permissions.ts';
import type { PermissionRule, TurnSettings } from './types.ts';

type Config = EventOf<'session.config'>;

/** The flags that give a command the sandbox and the network of a recorded one. */
export function reachFlags(config: Pick<Config, 'sandbox' | 'allowNet'> | undefined): readonly string[] {
  if (config === undefined) return [];
  if (config.sandbox === 'none') return ['--no-sandbox'];
  return config.allowNet.flatMap((host) => ['--allow-net', String(host)]);
}

/** The command that goes on with a call as it was asked about. */
export function renderGoOn(id: string, flags: readonly string[]): string {
  return renderWords(['ramet', 'run', '--session', id, ...flags]);
}

export interface ReachCheck {
  readonly settings: Pick<TurnSettings, 'sandbox' | 'allowNet'>;
  readonly rules: readonly PermissionRule[];
  readonly tools: ReadonlyMap<string, Tool>;
  readonly decode: (value: unknown) => unknown;
}

/** Refuses to go on with a waiting call under another sandbox or network; a rule that denies it needs neither. */
export function refuseOtherReach(state: SessionState, check: ReachCheck): Refusal | null {
  const call = findWaiting(state);
  if (call?.under === undefined) return null;
  const { settings } = check;
  const asked = reachFlags(call.under);
  const given = reachFlags({ sandbox: settings.sandbox, allowNet: settings.allowNet });
  if (isSameReach(asked, given) || isDenied(call, check)) return null;
  const { id } = state;
  const offset = (call.intent ?? call.approvalRequest)?.seq ?? call.under.seq;
  const describe = (flags: readonly string[]) =>
    flags.length === 0 ? 'in the closed sandbox' : `with ${renderWords(flags)}`;
  const message =
    `${call.tool} at offset ${offset} waits as it was asked about, ${describe(asked)}, and this command would run it ` +
    `${describe(given)}; go on with \`${renderGoOn(id, asked)}\`, or give a new message, which ends the turn without it`;
  return refuse('bad_usage', message, { id, offset, flags: asked });
}

/** The call that runs next on a person's word: it was asked about, or is to be sent again. */
function findWaiting({ open }: SessionState): CallState | null {
  const call = open?.calls.find(({ result }) => result === undefined);
  if (call === undefined) return null;
  const isAsked = call.intent === undefined && call.approvalRequest !== undefined;
  return isAsked || call.resolution?.resolution === 'retry' ? call : null;
}

function isSameReach(asked: readonly string[], given: readonly string[]): boolean {
  return JSON.stringify([...new Set(asked)].sort()) === JSON.stringify([...new Set(given)].sort());
}

function isDenied(call: CallState, { rules, tools, decode }: ReachCheck): boolean {
  const tool = tools.get(call.tool);
  if (tool === undefined) return false;
  const facts = { tool: tool.name, subject: tool.subject(decode(call.input)), contained: true };
  return decideCall(facts, rules).kind === 'deny';
}
