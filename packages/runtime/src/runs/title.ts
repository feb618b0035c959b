import { deriveSessionOverview, isRefusal, type Refusal, type RunId, refuse } from '@ramet/core';
import type { RunStore } from '../store/index.ts';

/** Gives a run a title; refuses while a session's turn is open (L17 of the log format) or another process owns it. */
export async function setTitle(
  store: RunStore,
  id: RunId,
  title: string,
): Promise<{ readonly offset: number } | Refusal> {
  const log = await store.own(id);
  if (isRefusal(log)) return log;
  try {
    const { heads } = log.readOutline();
    const overview = deriveSessionOverview(heads);
    if (overview === null && heads[0]?.graph === undefined) {
      return refuse('not_a_session', `the log of ${id} starts neither a session nor a graph run`, { id });
    }
    if (overview?.turnOpen) {
      return refuse(
        'turn_open',
        `session ${id} has an unfinished turn; go on with it first: ramet run --session ${id}`,
        { id },
      );
    }
    const [event] = await log.append([{ type: 'session.title', title: title.toWellFormed() }], { durable: true });
    return { offset: event?.seq ?? log.next - 1 };
  } finally {
    log.close();
  }
}
