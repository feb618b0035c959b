/**
 * Usage of conversations that sessions took of nodes: the graph run did that, and counts it while it is there.
 *
 * 1. Of a run that is gone a session still holds replies. They are counted once for all sessions of one conversation, and
 *    not at all while a relative of the run holds the lines they were taken from.
 */
import { joinUsage, NO_USAGE, type NodeDescent, type RunId, takenUsageOf, type UsageSum } from '@ramet/core';
import { type FileStore, type LogOutline, sha256 } from '../store/index.ts';

/** What one session holds of a node's conversation. */
export interface TakenUsage {
  readonly origin: NodeDescent;
  readonly usage: UsageSum;
}

/** What a log holds of the conversation that its session, or the one that was forked from, was made of. */
export function listTaken(outline: LogOutline): readonly TakenUsage[] {
  const origin = outline.heads[0]?.start?.forkedFrom;
  return origin === undefined ? [] : [{ origin, usage: takenUsageOf(outline) }];
}

/** What no log of a graph run counts, under the run that is gone. */
export function sumTaken(store: FileStore, taken: readonly TakenUsage[]): ReadonlyMap<RunId, UsageSum> {
  const longest = new Map<string, TakenUsage>();
  for (const held of taken) {
    const { digest } = held.origin;
    // A fork at a turn that was taken holds less of it.
    if ((longest.get(digest)?.usage.replies ?? -1) < held.usage.replies) longest.set(digest, held);
  }
  const sums = new Map<RunId, UsageSum>();
  for (const { origin, usage } of longest.values()) {
    if (usage.replies === 0 || isHeld(store, origin)) continue;
    sums.set(origin.id, joinUsage(sums.get(origin.id) ?? NO_USAGE, usage));
  }
  return sums;
}

/** Whether the run, or one that inherited those lines of it, is there. */
function isHeld(store: FileStore, { id, offset, digest }: NodeDescent): boolean {
  if (store.read(id) !== null) return true;
  return store.listRuns().some((other) => {
    try {
      const log = store.read(other);
      if (log === null || log.readOutline().heads[0]?.graph === undefined) return false;
      const [line] = log.readBytes({ from: offset, to: offset });
      return line !== undefined && sha256(line.subarray(0, -1)) === digest;
    } catch {
      return false;
    }
  });
}
