/**
 * Which entry of the agent's index each file has. While the index is, byte for byte, what it was at the last capture,
 * the files of that capture know: it is not parsed again.
 *
 * An entry is named by where it begins in the index; 0 stands for none.
 */
import type { AgentIndex } from '../agent-git/indexes.ts';
import type { Comparison } from './comparison.ts';
import type { FileTable, FolderRows } from './file-table.ts';
import { type BytePath, folderOf, joinPath } from './names.ts';
import type { StatCache } from './stat-cache.ts';

/** A path the index names that is none of the files: one that was deleted, another repository. */
export type Stray = readonly [path: BytePath, entry: number];

/** What the agent's index names. */
export interface IndexedPaths {
  /** How many paths. */
  readonly count: number;
  /** Folders directly above one of them. */
  listFolders(): Iterable<BytePath>;
  /** The entry of each row. */
  findEntries(table: FileTable & Comparison): Uint32Array;
  listPaths(): Iterable<Stray>;
}

/** Asks the files of the last capture if it met the same index, else the index. */
export function openIndexedPaths(index: AgentIndex | null, cache: StatCache | null): IndexedPaths {
  if (index === null) return NOTHING;
  return cache?.index?.digest === index.digest ? rememberPaths(cache, cache.index) : readPaths(index);
}

/** The paths that no row has. */
export function listStrays(indexed: IndexedPaths, entries: Uint32Array): readonly Stray[] {
  let held = 0;
  for (const entry of entries) if (entry !== 0) held += 1;
  if (held === indexed.count) return [];
  const known = new Set(entries);
  return [...indexed.listPaths()].filter(([, entry]) => !known.has(entry));
}

const NOTHING: IndexedPaths = {
  count: 0,
  listFolders: () => [],
  findEntries: (table) => new Uint32Array(table.names.length),
  listPaths: () => [],
};

function readPaths(index: AgentIndex): IndexedPaths {
  const { byPath } = index.parse();
  return {
    count: byPath.size,
    listFolders: () => new Set([...byPath.keys()].map(folderOf)),
    findEntries: (table) => mapRows(table, (folder, name) => byPath.get(joinPath(folder, name))?.offset ?? 0),
    listPaths: () => [...byPath].map(([path, { offset }]) => [path, offset]),
  };
}

function rememberPaths(cache: StatCache, { count, strays }: NonNullable<StatCache['index']>): IndexedPaths {
  const others = new Map(strays);
  const holdsIndexed = ({ from, to }: FolderRows) => cache.entries.subarray(from, to).some((entry) => entry !== 0);
  return {
    count,
    listFolders: () => [
      ...cache.folders.filter(holdsIndexed).map(({ path }) => path),
      ...strays.map(([path]) => folderOf(path)),
    ],
    findEntries: (table) =>
      mapRows(table, (folder, name, row) => {
        const before = table.before[row] ?? -1;
        return before < 0 ? (others.get(joinPath(folder, name)) ?? 0) : (cache.entries[before] ?? 0);
      }),
    listPaths: () => [...listIndexed(cache), ...strays],
  };
}

function mapRows(table: FileTable, find: (folder: BytePath, name: string, row: number) => number): Uint32Array {
  const entries = new Uint32Array(table.names.length);
  for (const { path, from, to } of table.folders) {
    for (let row = from; row < to; row += 1) entries[row] = find(path, table.names[row] ?? '', row);
  }
  return entries;
}

function listIndexed({ folders, names, entries }: StatCache): Stray[] {
  const indexed: Stray[] = [];
  for (const { path, from, to } of folders) {
    for (let row = from; row < to; row += 1) {
      const entry = entries[row] ?? 0;
      if (entry !== 0) indexed.push([joinPath(path, names[row] ?? ''), entry]);
    }
  }
  return indexed;
}
