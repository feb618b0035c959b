import type { ApprovalReply, PermissionRule, TurnLimits, TurnObserver, TurnSettings } from '@ramet/runtime/session';
import { type CliContext, type Interruption, isInteractive } from '../context.ts';
import type { RunFlags } from '../routes/run.ts';

/** What a turn runs with, from the flags. */
export function settingsFor(
  context: CliContext,
  flags: RunFlags,
  live: { readonly interruption: Interruption; readonly observer: TurnObserver },
): TurnSettings {
  const { model, baseUrl, noSandbox, allowNet = [], trustProject, onAsk } = flags;
  const ask = chooseAsker(context, flags, live.interruption);
  return {
    ...(model === undefined ? {} : { model }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    sandbox: noSandbox ? 'none' : 'auto',
    allowNet,
    rules: listRules(flags),
    trustProject: trustProject === true,
    limits: limitsOf(flags),
    ...(ask === undefined ? {} : { ask }),
    onAsk,
    observer: live.observer,
    signal: live.interruption.signal,
  };
}

function chooseAsker(context: CliContext, flags: RunFlags, interruption: Interruption): TurnSettings['ask'] {
  if (flags.yes) return async (question) => answerYes(question.matches);
  // Nobody reads a question between the lines of a program's output.
  if (!isInteractive(context) || flags.json || flags.events) return undefined;
  return async (question, signal) => (await import('./ask.ts')).askApproval(question, interruption, signal);
}

/** Yes to a call; what was sent before is not sent twice by a yes that was given beforehand. */
function answerYes(matches: boolean): ApprovalReply {
  return { answer: matches ? 'reuse' : 'allow', scope: 'once', by: 'person' };
}

function listRules({ allow = [], ask = [], deny = [] }: RunFlags): readonly PermissionRule[] {
  return [
    ...allow.map((rule) => ({ ...rule, do: 'allow' as const })),
    ...ask.map((rule) => ({ ...rule, do: 'ask' as const })),
    ...deny.map((rule) => ({ ...rule, do: 'deny' as const })),
  ];
}

function limitsOf({ maxRequests, maxTokens, maxCost, maxTime }: RunFlags): TurnLimits {
  return {
    ...(maxRequests === undefined ? {} : { maxRequests }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(maxCost === undefined ? {} : { maxCost }),
    ...(maxTime === undefined ? {} : { maxTimeMs: maxTime * 1000 }),
  };
}
