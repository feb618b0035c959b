/**
 * Usage over the logs of graph runs, each reply once.
 *
 * 1. What a run did itself is in the head of its log; what it inherited is counted by the run that did it.
 * 2. Of a run that was removed, its descendants hold replies; whose they are the bytes of their lines say. Only such
 *    families are read line by line.
 */
import {
  addReply,
  deriveRunOverview,
  type GraphRunOverview,
  joinUsage,
  knownEvent,
  NO_USAGE,
  parseLine,
  type RunId,
  type UsageSum,
} from '@ramet/core';
import { type FileStore, type LogReader, sha256 } from '../store/index.ts';
import type { RunUsage, StoreUsage } from './usage.ts';

interface FoundRun {
  readonly reader: LogReader;
  readonly overview: GraphRunOverview;
}

/** Usage of every graph run of a store, and of all of them. */
export function readGraphUsage(
  store: FileStore,
): Pick<StoreUsage, 'total' | 'removed' | 'incomplete'> & { readonly runs: readonly RunUsage[] } {
  const found = new Map<RunId, FoundRun>();
  const incomplete: RunId[] = [];
  for (const id of [...store.listRuns()].sort()) {
    try {
      const reader = store.read(id);
      const outline = reader?.readOutline();
      const overview = outline === undefined ? null : deriveRunOverview(outline.heads);
      if (reader === null || outline === undefined || overview === null) continue;
      if (outline.damage !== null) incomplete.push(id);
      found.set(id, { reader, overview });
    } catch {
      // One that cannot be read at all is named with the sessions: nothing says of which kind it is.
    }
  }
  const removed = countRemoved(found);
  const runs = [...found].map(([id, { overview }]) => {
    const { title, own, inherited } = overview;
    return { id, title, own, inherited };
  });
  const sums = [...runs.map(({ own }) => own), ...removed.values()];
  return {
    total: sums.reduce(joinUsage, NO_USAGE),
    runs,
    removed: [...removed].map(([id, usage]) => ({ id, usage })),
    incomplete,
  };
}

/** What removed runs made and their descendants still hold, under the parent that is gone. */
function countRemoved(found: ReadonlyMap<RunId, FoundRun>): ReadonlyMap<RunId, UsageSum> {
  const orphans = [...found.values()].filter(({ overview: { forkedFrom, inherited } }) => {
    return forkedFrom !== undefined && inherited.replies > 0 && !found.has(forkedFrom.id);
  });
  const removed = new Map<RunId, UsageSum>();
  if (orphans.length === 0) return removed;
  const counted = new Set([...found.values()].flatMap((run) => listReplies(run, 'own').map(({ digest }) => digest)));
  for (const orphan of orphans) {
    const parent = orphan.overview.forkedFrom?.id;
    for (const { digest, add } of parent === undefined ? [] : listReplies(orphan, 'inherited')) {
      if (parent === undefined || counted.has(digest)) continue;
      counted.add(digest);
      removed.set(parent, add(removed.get(parent) ?? NO_USAGE));
    }
  }
  return removed;
}

interface Reply {
  /** Of its line: every run that holds it holds these bytes. */
  readonly digest: string;
  readonly add: (sum: UsageSum) => UsageSum;
}

const REPLY = Buffer.from('"type":"model.response"');

function listReplies({ reader, overview }: FoundRun, part: 'own' | 'inherited'): readonly Reply[] {
  const through = overview.forkedFrom?.offset ?? 0;
  const range = part === 'own' ? { from: through + 1, to: overview.events - 1 } : { to: through };
  const replies: Reply[] = [];
  for (const bytes of range.from !== undefined && range.from > range.to ? [] : reader.readBytes(range)) {
    const line = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength - 1);
    if (!line.includes(REPLY)) continue;
    const event = parseLine(line.toString('utf8'));
    const known = typeof event === 'string' ? null : knownEvent(event);
    if (known?.type !== 'model.response' || (known.message === undefined && known.usage === undefined)) continue;
    replies.push({ digest: sha256(line), add: (sum) => addReply(sum, known.usage, known.cost) });
  }
  return replies;
}
