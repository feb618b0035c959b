/**
 * The step that makes one tool call: permission, an intent that is durable before anything happens, and a result.
 *
 * 1. A call that is refused has no intent and a result that says so.
 * 2. An answer of a person is bound to the call and its input.
 * 3. A write that was not contained and was not answered has no result: it waits for a person.
 * 4. A question that was recorded is answered by a person or by a flag of the command that goes on, or it stays open.
 */
import { type CallState, canonicalJson, type EventDraft } from '@ramet/core';
import type { ToolAnswer } from '../../../tools/types.ts';
import { isSuspended } from '../../suspend.ts';
import { openTurnOf, record, type TurnContext } from '../context.ts';
import { decodeWith } from '../decode.ts';
import type { StepOutcome } from '../outcome.ts';
import { askAbout, followAnswer, recordAnswerOf } from './approval.ts';
import { keyOfCall } from './keys.ts';
import { matchOutstanding, type OutstandingMatch } from './outstanding.ts';
import { type CallFacts, decideCall, isAllowedByFlag, type Verdict } from './permissions.ts';
import type { PolicyCall, PolicyVerdict } from './policy.ts';
import { type ReadyCall, recordAnswer, recordNotStarted, recordProblem } from './results.ts';
import { parkUnknown } from './unknown.ts';

/** Makes the next call of the turn, or records why it is not made. */
export async function makeCall(context: TurnContext, call: CallState): Promise<StepOutcome> {
  const tool = context.tools.get(call.tool);
  if (tool === undefined) {
    const names = [...context.tools.keys()].join(', ');
    return recordProblem(context, call, {
      outcome: 'error',
      text: `there is no tool ${call.tool}; the tools are: ${names}`,
    });
  }
  if (isSuspended(context.settings)) return { kind: 'suspend' };
  if (context.signal.aborted) return recordNotStarted(context, call);
  const input = decodeWith(context.log)(call.input);
  const permitted = await permitCall(context, { call, tool, input });
  if (permitted !== 'go') return permitted;
  // An answer that came together with the end of this process is in the log, and acted on by the next owner.
  return isSuspended(context.settings) ? { kind: 'suspend' } : startCall(context, { call, tool, input, attempt: 1 });
}

/** Records the intent, runs the tool, records the result. */
export async function startCall(
  context: TurnContext,
  ready: ReadyCall & { readonly attempt: number },
): Promise<StepOutcome> {
  const { call, tool, input, attempt } = ready;
  const contained = tool.contained(context.toolContext);
  const { key, acknowledged } = identify(context, ready);
  const intent: EventDraft = {
    type: 'tool.intent',
    callId: call.callId,
    tool: call.tool,
    input,
    effect: tool.effect,
    contained,
    key,
    ...(attempt > 1 ? { attempt } : {}),
    ...(acknowledged === undefined ? {} : { acknowledged }),
  };
  await record(context, [intent], { durable: true });
  const answer = await tool.run(input, { ...context.toolContext, key });
  const waits = answer.unknown === true && tool.effect === 'write' && contained !== true;
  // A turn that ends now waits for nobody: the result then says that the outcome is unknown.
  const endsNow = context.signal.aborted && !isSuspended(context.settings);
  if (waits && !endsNow) return parkUnknown(context, call.callId, wordsOf(answer));
  return recordAnswer(context, call, { answer, contained });
}

/** The key of a call, and the write of another run that it makes again on purpose. */
function identify(context: TurnContext, ready: ReadyCall): { readonly key: string; readonly acknowledged?: number } {
  const { call, input } = ready;
  const { policy, fold } = context;
  const { index, intent } = call;
  if (intent !== undefined) {
    const { key, acknowledged } = intent;
    return { key, ...(acknowledged === undefined ? {} : { acknowledged }) };
  }
  if (policy === undefined)
    return { key: keyOfCall(fold.state.id, { turn: openTurnOf(fold.state).turn, index }, input) };
  const verdict = policy.judge(policyCallOf(context, ready));
  if (verdict?.kind === 'known') return { key: verdict.key };
  const key = policy.keyOf({ index, input });
  return verdict?.kind === 'acknowledged' ? { key, acknowledged: verdict.offset } : { key };
}

function policyCallOf(context: TurnContext, { call, tool, input }: ReadyCall): PolicyCall {
  const { name, effect, volatile } = tool;
  const contained = tool.contained(context.toolContext);
  return { index: call.index, tool: name, input, effect, contained, ...(volatile === undefined ? {} : { volatile }) };
}

function wordsOf({ output }: ToolAnswer): string {
  return typeof output.value === 'string' ? output.value : 'it was not answered';
}

async function permitCall(context: TurnContext, ready: ReadyCall): Promise<'go' | StepOutcome> {
  const { call } = ready;
  const earlier = context.policy?.judge(policyCallOf(context, ready)) ?? null;
  const match = earlier?.kind === 'ask' ? { exact: null, sameTool: earlier.outstanding } : matchIn(context, ready);
  const verdict = verdictOn(context, ready, { matches: match.exact !== null, earlier });
  // An answer that was recorded before a crash is not asked for again; a rule that denies stands above it.
  if (verdict.kind !== 'deny' && call.approval !== undefined) {
    return followAnswer(context, ready, { answer: call.approval.answer, match });
  }
  if (verdict.kind === 'deny')
    return recordProblem(context, call, { outcome: 'denied', text: `denied by ${verdict.reason}` });
  const asked = call.approvalRequest;
  if (asked === undefined) {
    return verdict.kind === 'allow' ? 'go' : askAbout(context, ready, { reason: verdict.reason, match });
  }
  // A question stays open whatever the rules of a later command are: only a person answers it, or a flag they give now.
  if (match.exact === null && earlier === null && isAllowedByFlag(factsOf(context, ready), context.rules)) {
    await recordAnswerOf(context, ready, { answer: 'allow', scope: 'once', by: 'flag' });
    return 'go';
  }
  return askAbout(context, ready, { reason: String(decodeWith(context.log)(asked.reason)), match });
}

function matchIn(context: TurnContext, { tool, input }: ReadyCall): OutstandingMatch {
  const { name, volatile } = tool;
  return matchOutstanding(context.fold.state, { tool: name, input, ...(volatile === undefined ? {} : { volatile }) });
}

function factsOf(context: TurnContext, { tool, input }: ReadyCall): CallFacts {
  return { tool: tool.name, subject: tool.subject(input), contained: tool.contained(context.toolContext) };
}

/** The rule that denies a call, in words; null when none does. */
export function findDenial(context: TurnContext, ready: ReadyCall): string | null {
  const verdict = decideCall(factsOf(context, ready), context.rules);
  return verdict.kind === 'deny' ? verdict.reason : null;
}

function verdictOn(
  context: TurnContext,
  ready: ReadyCall,
  { matches, earlier }: { readonly matches: boolean; readonly earlier: PolicyVerdict | null },
): Verdict {
  const { tool, input } = ready;
  const verdict = decideCall(factsOf(context, ready), context.rules);
  if (verdict.kind === 'deny') return verdict;
  if (earlier?.kind === 'acknowledged') return { kind: 'allow' };
  if (earlier?.kind === 'ask') return { kind: 'ask', reason: earlier.reason };
  if (matches)
    return { kind: 'ask', reason: 'this very write was already made after the point this session forked from' };
  if (verdict.kind === 'ask' && isGranted(context, tool.name, input)) return { kind: 'allow' };
  return verdict;
}

function isGranted(context: TurnContext, tool: string, input: unknown): boolean {
  const wanted = canonicalJson(input);
  const decode = decodeWith(context.log);
  return context.fold.state.grants.some(
    (grant) => grant.tool === tool && canonicalJson(decode(grant.input)) === wanted,
  );
}
