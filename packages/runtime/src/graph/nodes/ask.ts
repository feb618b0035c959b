/** Asks a person about the call of a tool node; an answer is bound to that call and recorded before it counts. */
import type { EventDraft, OutstandingWrite } from '@ramet/core';
import type { ApprovalReply } from '../../session/index.ts';
import { isSuspended } from '../../session/suspend.ts';
import type { OpenRun } from '../drive/types.ts';
import type { NodeWork, WorkEnd } from './types.ts';

export interface NodeQuestion {
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly reason: string;
  readonly outstanding: readonly OutstandingWrite[];
}

/**
 * Answers `go` when the call may be made, or how the node ends without it. Where nobody is there the call waits: `deny`
 * is a word to a model that may do without it, and here is none.
 */
export async function askAboutNode(run: OpenRun, work: NodeWork, question: NodeQuestion): Promise<'go' | WorkEnd> {
  const { path: node } = work.node;
  const { callId, tool, input, reason, outstanding } = question;
  const shown = outstanding.length === 0 ? {} : { outstanding };
  const request: EventDraft = { type: 'approval.request', node, callId, tool, input, reason, ...shown };
  const [asked] = await run.journal.recordDurably([request]);
  const { ask, onAsk } = run.settings;
  const message = `${tool} of ${node} waits for a person: ${reason}; go on at a terminal with \`ramet resume ${run.id}\``;
  const parked: WorkEnd = { kind: 'parked', reason: 'approval_pending', offset: asked?.seq ?? 0, message };
  if (ask === undefined && onAsk !== 'fail') return parked;
  const reply: ApprovalReply | null =
    ask === undefined
      ? { answer: 'deny', scope: 'once', by: 'nobody' }
      : await ask({ ...question, matches: false, node }, work.signal).catch((error: unknown) => {
          if (work.signal.aborted) return null;
          throw error;
        });
  if (reply === null) return isSuspended(run.settings) ? parked : { kind: 'interrupted', drafts: [] };
  const { answer, scope, by } = reply;
  await run.journal.recordDurably([{ type: 'approval.answer', node, callId, answer, scope, by }]);
  if (answer === 'allow') return 'go';
  const who = by === 'nobody' ? 'nobody was there to answer' : 'the person said no';
  const error = { code: 'approval_denied', message: `${tool} was not run, ${who}: ${reason}` };
  return { kind: 'failed', error, final: true, drafts: [] };
}
