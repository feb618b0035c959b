/** What turns and graph runs are given alike, from the flags: model, sandbox, rules, limits, and whom to ask. */
import type { ApprovalQuestion, ApprovalReply, PermissionRule, TurnSettings } from '@ramet/runtime/session';
import { type CliContext, type Interruption, isInteractive } from '../context.ts';
import type { WorkFlags } from '../flags.ts';

/** The settings of a turn that a graph run has, too. */
export type WorkSettings = Omit<TurnSettings, 'ask' | 'observer' | 'forgetRules'>;

/** The settings that flags name. */
export function settingsOf(flags: WorkFlags, { signal }: Interruption): WorkSettings {
  const { model, baseUrl, noSandbox, allowNet = [], trustProject, onAsk = 'deny' } = flags;
  return {
    ...(model === undefined ? {} : { model }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    sandbox: noSandbox ? 'none' : 'auto',
    allowNet,
    rules: listRules(flags),
    trustProject: trustProject === true,
    limits: limitsOf(flags),
    onAsk,
    signal,
  };
}

/** Asks about one call and waits for the answer. */
export type Asker<Q extends ApprovalQuestion> = (question: Q, signal: AbortSignal) => Promise<ApprovalReply>;

/** Who answers: `--yes`, the person at the terminal by way of `askPerson`, or nobody. */
export function chooseAsker<Q extends ApprovalQuestion>(
  context: CliContext,
  flags: WorkFlags,
  askPerson: Asker<Q>,
): { readonly ask?: Asker<Q> } {
  // What was sent before is not sent twice by a yes that was given beforehand.
  if (flags.yes)
    return { ask: async ({ matches }) => ({ answer: matches ? 'reuse' : 'allow', scope: 'once', by: 'flag' }) };
  // Nobody reads a question between the lines of a program's output.
  return !isInteractive(context) || flags.json || flags.events ? {} : { ask: askPerson };
}

function listRules({ allow = [], ask = [], deny = [] }: WorkFlags): readonly PermissionRule[] {
  return [
    ...allow.map((rule) => ({ ...rule, do: 'allow' as const })),
    ...ask.map((rule) => ({ ...rule, do: 'ask' as const })),
    ...deny.map((rule) => ({ ...rule, do: 'deny' as const })),
  ];
}

function limitsOf({ maxTokens, maxCost, maxTime }: WorkFlags): WorkSettings['limits'] {
  return {
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(maxCost === undefined ? {} : { maxCost }),
    ...(maxTime === undefined ? {} : { maxTimeMs: maxTime * 1000 }),
  };
}
