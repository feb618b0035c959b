/** How a turn begins: what an earlier one left open is settled, what changed meanwhile is kept, the message is recorded. */
import type { EventDraft, OutstandingWrite } from '@ramet/core';
import { digestSettings } from '../settings.ts';
import type { TurnRequest } from '../types.ts';
import { describeRestore } from '../workspace/notices.ts';
import type { CaptureFrom } from '../workspace/types.ts';
import { record, type TurnContext } from './context.ts';
import { endTurn } from './end.ts';
import { keyOfMessage, makeMessage } from './message.ts';

/** Begins a turn, or continues the open one when there is no prompt. */
export async function beginTurn(context: TurnContext, request: TurnRequest): Promise<void> {
  if (request.prompt === null) return;
  if (context.fold.state.open !== null) {
    const message = 'a new message was given before the turn had ended';
    await endTurn(context, { kind: 'end', reason: 'interrupted', error: { code: 'interrupted', message } });
  }
  await keepFiles(context);
  await record(context, [draftMessage(context, request)], { durable: true });
}

/**
 * Keeps the files as the turn finds them, where no checkpoint has them: the state a workspace opened with, which is what
 * the agent's changes are told from, and what somebody changed since the last checkpoint.
 */
async function keepFiles(context: TurnContext): Promise<void> {
  const { lastCheckpoint, workspaceOpen } = context.fold.state;
  const base = workspaceOpen?.base ?? null;
  const isOpening = workspaceOpen !== undefined && workspaceOpen.seq > (lastCheckpoint?.seq ?? -1);
  if (isOpening) {
    await keep(context, { previous: null, base });
    return;
  }
  if (lastCheckpoint === undefined || !(await context.captor.differs(lastCheckpoint.id))) return;
  const isKept = await keep(context, { previous: lastCheckpoint.id, base });
  const notice = 'the workspace was changed since the last turn; that is kept in a checkpoint';
  if (isKept) context.settings.observer.notice?.(notice);
}

/** One that cannot be taken does not keep a turn from beginning: its end tries again, and says why it cannot. */
async function keep(context: TurnContext, from: CaptureFrom): Promise<boolean> {
  let isKept = false;
  await context.captor.capture(from, async (taken) => {
    if (taken.kind !== 'taken') return;
    await record(context, [{ type: 'workspace.checkpoint', ...taken.record }], { durable: true });
    isKept = true;
  });
  return isKept;
}

function draftMessage(context: TurnContext, request: TurnRequest): EventDraft {
  const { state } = context.fold;
  const first = state.fork !== undefined && (state.lastEnd?.seq ?? -1) < state.fork.seq;
  const aboutFiles = describeRestore(state.untoldRestore);
  const notices = [
    ...(first && state.outstanding.length > 0 ? [describeOutstanding(state.outstanding)] : []),
    ...(aboutFiles === null ? [] : [aboutFiles]),
  ];
  const key = keyOfMessage(request);
  return {
    type: 'message',
    message: makeMessage(request),
    ...(notices.length === 0 ? {} : { notices }),
    ...(key === undefined ? {} : { key, request: digestSettings(request.settings) }),
  };
}

function describeOutstanding(writes: readonly OutstandingWrite[]): string {
  const list = writes.map((write) => `- ${write.tool} ${JSON.stringify(write.input)}`).join('\n');
  return `Note from Ramet: after this point of the conversation these calls already reached the outside and were not undone. Do not repeat them unasked:\n${list}`;
}
