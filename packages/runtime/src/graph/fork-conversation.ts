import { type ConversationRequest, knownEvent, makeRunId, type Refusal, type RunId, refuse } from '@ramet/core';
import { type ConversationResult, forkConversation as commitConversation } from '../fork/index.ts';
import { refuseDamaged } from '../store/index.ts';
import { readDocument } from './documents/documents.ts';
import type { RunServices } from './types.ts';

export interface ConversationForkOptions extends ConversationRequest {
  readonly idempotencyKey?: string;
  /** Plan, answer, and make nothing. */
  readonly dryRun?: boolean;
}

/** Makes a session of the conversation an agent's node of a run had; the run is not touched. */
export async function forkConversation(
  { store, now, randomBytes }: RunServices,
  source: RunId,
  options: ConversationForkOptions,
): Promise<ConversationResult | Refusal> {
  const log = store.read(source);
  if (log === null) return refuse('unknown_run', `there is no run ${source}`, { id: source });
  const outline = log.readOutline();
  if (outline.damage !== null) return refuseDamaged(source, outline);
  const [event] = log.readEvents({ from: 0, to: 0 });
  const start = event === undefined ? null : knownEvent(event);
  if (start?.type !== 'graph.start') {
    return refuse('not_a_graph_run', `${source} is a session: fork it at a completed turn`, { id: source });
  }
  const context = { store, makeId: () => makeRunId(now(), randomBytes(10)) };
  return commitConversation(context, source, { ...options, sourceGraph: readDocument(store, start.graph) });
}
