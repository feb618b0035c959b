import type { ApprovalReply, PermissionRule, TurnLimits, TurnObserver, TurnSettings } from '@ramet/runtime/session';
import { type CliContext, type Interruption, isInteractive } from '../context.ts';
import type { RunFlags } from '../flags.ts';

/** What goes on while a turn runs. */
export interface LiveTurn {
  readonly interruption: Interruption;
  readonly observer: TurnObserver;
  /** Called before a question is shown. */
  readonly beforeAsk: () => void;
}

/** What a turn runs with, from the flags. */
export function settingsFor(context: CliContext, flags: RunFlags, live: LiveTurn): TurnSettings {
  const { model, baseUrl, noSandbox, allowNet = [], trustProject, onAsk } = flags;
  const ask = chooseAsker(context, flags, live);
  return {
    ...(model === undefined ? {} : { model }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    sandbox: noSandbox ? 'none' : 'auto',
    allowNet,
    rules: listRules(flags),
    forgetRules: flags.forgetRules === true,
    trustProject: trustProject === true,
    limits: limitsOf(flags),
    ...(ask === undefined ? {} : { ask }),
    onAsk,
    observer: live.observer,
    signal: live.interruption.signal,
  };
}

function chooseAsker(context: CliContext, flags: RunFlags, live: LiveTurn): TurnSettings['ask'] {
  if (flags.yes) return async (question) => answerYes(question.matches);
  // Nobody reads a question between the lines of a program's output.
  if (!isInteractive(context) || flags.json || flags.events) return undefined;
  return async (question, signal) => {
    const { askApproval } = await import('./ask.ts');
    live.beforeAsk();
    return askApproval(question, live.interruption, signal);
  };
}

/** Yes to a call; what was sent before is not sent twice by a yes that was given beforehand. */
export function answerYes(matches: boolean): ApprovalReply {
  return { answer: matches ? 'reuse' : 'allow', scope: 'once', by: 'flag' };
}

/** The rules that flags name. */
export function listRules({
  allow = [],
  ask = [],
  deny = [],
}: Pick<RunFlags, 'allow' | 'ask' | 'deny'>): readonly PermissionRule[] {
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
