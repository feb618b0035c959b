/**
 * Which files are what the last capture saw, row by row through both tables.
 *
 * 1. A file counts as unchanged while inode, size, mtime and ctime are what they were, and both times lie well before
 *    that capture began: an edit of the same length in the same clock tick is otherwise missed. No program can set
 *    ctime, so an agent that sets mtime back is seen.
 */
import { CTIME, type FileTable, type FolderRows, MTIME, STATS } from './file-table.ts';
import type { StatCache } from './stat-cache.ts';

/** What is known of each row from the last capture. */
export interface Comparison {
  /** Row of the same path in the cache's table; -1 where there was none. */
  readonly before: Int32Array;
  /** 1 where the content is certain to be what the last capture saw. */
  readonly unchanged: Uint8Array;
  /** How many rows of the cache's table are still there. */
  readonly stillThere: number;
}

/** Kernel clocks tick every 1 to 10 ms; more than enough to tell before from after. */
const RACY_MS = 50;

/** Compares what is with what was. */
export function compareWithCache(table: FileTable, cache: StatCache | null): Comparison {
  const before = new Int32Array(table.names.length).fill(-1);
  const unchanged = new Uint8Array(table.names.length);
  if (cache === null) return { before, unchanged, stillThere: 0 };
  const earlier = new Map(cache.folders.map((folder) => [folder.path, folder]));
  let stillThere = 0;
  for (const folder of table.folders) {
    const known = earlier.get(folder.path);
    if (known !== undefined) stillThere += matchNames(before, { table, folder }, { table: cache, folder: known });
  }
  for (let row = 0; row < before.length; row += 1) {
    const position = before[row] ?? -1;
    if (position >= 0 && isUnchanged(table, row, { cache, position })) unchanged[row] = 1;
  }
  return { before, unchanged, stillThere };
}

interface Rows {
  readonly table: FileTable;
  readonly folder: FolderRows;
}

/** Both name lists are sorted: one pass finds what is in both. Returns how many are. */
function matchNames(before: Int32Array, now: Rows, earlier: Rows): number {
  let at = earlier.folder.from;
  let found = 0;
  for (let row = now.folder.from; row < now.folder.to && at < earlier.folder.to; row += 1) {
    const name = now.table.names[row] ?? '';
    while (at < earlier.folder.to && (earlier.table.names[at] ?? '') < name) at += 1;
    if (at === earlier.folder.to || earlier.table.names[at] !== name) continue;
    before[row] = at;
    at += 1;
    found += 1;
  }
  return found;
}

function isUnchanged(table: FileTable, row: number, known: { cache: StatCache; position: number }): boolean {
  const { cache, position } = known;
  for (let at = 0; at < STATS; at += 1) {
    if (table.stats[row * STATS + at] !== cache.stats[position * STATS + at]) return false;
  }
  const settled = cache.takenMs - RACY_MS;
  const [mtime, ctime] = [table.stats[row * STATS + MTIME] ?? 0, table.stats[row * STATS + CTIME] ?? 0];
  return mtime < settled && ctime < settled;
}
