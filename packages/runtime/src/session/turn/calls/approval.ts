/** Asks a person about one call, records question and answer, and says what follows. */
import type { EventDraft, OutstandingWrite } from '@ramet/core';
import { reachFlags, renderGoOn } from '../../reach.ts';
import { isSuspended } from '../../suspend.ts';
import type { ApprovalReply } from '../../types.ts';
import { record, type TurnContext } from '../context.ts';
import type { StepOutcome } from '../outcome.ts';
import type { OutstandingMatch } from './outstanding.ts';
import { findReceipt } from './receipt.ts';
import { type ReadyCall, recordNotStarted, recordProblem } from './results.ts';

export interface Question {
  readonly reason: string;
  readonly match: OutstandingMatch;
}

/** Answers `go` when the call may be made now. */
export async function askAbout(
  context: TurnContext,
  ready: ReadyCall,
  question: Question,
): Promise<'go' | StepOutcome> {
  const { call, tool, input } = ready;
  const { reason, match } = question;
  if (call.approvalRequest === undefined) {
    const outstanding = match.sameTool.length === 0 ? {} : { outstanding: match.sameTool };
    const draft: EventDraft = {
      type: 'approval.request',
      callId: call.callId,
      tool: tool.name,
      input,
      reason,
      ...outstanding,
    };
    await record(context, [draft], { durable: true });
  }
  const { ask, onAsk } = context.settings;
  if (ask === undefined) return answerForNobody(context, ready, { reason, onAsk });
  const asked = { callId: call.callId, tool: tool.name, input, reason };
  const reply = await ask(
    { ...asked, outstanding: match.sameTool, matches: match.exact !== null },
    context.signal,
  ).catch((error: unknown) => {
    if (context.signal.aborted) return null;
    throw error;
  });
  if (reply === null) {
    return isSuspended(context.settings) ? parkAsked(context, ready, reason) : recordNotStarted(context, call);
  }
  return applyReply(context, ready, { reply, match });
}

async function answerForNobody(
  context: TurnContext,
  ready: ReadyCall,
  policy: { readonly reason: string; readonly onAsk: 'deny' | 'park' | 'fail' },
): Promise<StepOutcome> {
  const { call, tool } = ready;
  const { reason, onAsk } = policy;
  if (onAsk === 'park') return parkAsked(context, ready, reason);
  await recordAnswerOf(context, ready, { answer: 'deny', scope: 'once', by: 'nobody' });
  await recordProblem(context, call, { outcome: 'denied', text: `denied: ${reason}, and nobody was there to answer` });
  if (onAsk === 'deny') return null;
  const message = `${tool.name} needs a person's answer and nobody is there: ${reason}`;
  return { kind: 'end', reason: 'failed', error: { code: 'approval_denied', message } };
}

/** The question is in the log and stays open: whoever goes on with the turn is asked again. */
function parkAsked(context: TurnContext, { call, tool }: ReadyCall, reason: string): StepOutcome {
  const { id, open } = context.fold.state;
  const asked = open?.calls.find(({ callId, result }) => callId === call.callId && result === undefined);
  const flags = reachFlags(asked?.under);
  const message = `${tool.name} waits for a person: ${reason}; go on at a terminal with \`${renderGoOn(id, flags)}\``;
  return { kind: 'park', reason: 'approval_pending', offset: asked?.approvalRequest?.seq ?? -1, message, flags };
}

async function applyReply(
  context: TurnContext,
  ready: ReadyCall,
  answered: { readonly reply: ApprovalReply; readonly match: OutstandingMatch },
): Promise<'go' | StepOutcome> {
  const { reply, match } = answered;
  await recordAnswerOf(context, ready, reply);
  return followAnswer(context, ready, { answer: reply.answer, match });
}

/** Does what a recorded answer says. */
export async function followAnswer(
  context: TurnContext,
  ready: ReadyCall,
  recorded: { readonly answer: ApprovalReply['answer']; readonly match: OutstandingMatch },
): Promise<'go' | StepOutcome> {
  const { answer, match } = recorded;
  if (answer === 'allow') return 'go';
  if (answer === 'reuse' && match.exact !== null) return reuseReceipt(context, ready, match.exact);
  return recordProblem(context, ready.call, { outcome: 'denied', text: 'denied by the person' });
}

async function reuseReceipt(context: TurnContext, ready: ReadyCall, write: OutstandingWrite): Promise<StepOutcome> {
  const { callId, tool } = ready.call;
  const { offset } = write;
  const draft: EventDraft = {
    type: 'tool.result',
    callId,
    tool,
    outcome: 'ok',
    output: findReceipt(context, write) ?? { type: 'text', value: describeReuse(offset) },
    receipt: { offset },
  };
  await record(context, [draft]);
  return null;
}

function describeReuse(offset: number): string {
  return `not sent again: this write was made before (offset ${offset} of the session this one was forked from), and the person chose to let that stand`;
}

/** Records an answer before anything follows from it. */
export async function recordAnswerOf(context: TurnContext, ready: ReadyCall, reply: ApprovalReply): Promise<void> {
  const { answer, scope, by } = reply;
  await record(context, [{ type: 'approval.answer', callId: ready.call.callId, answer, scope, by }], { durable: true });
}
