/**
 * The files and links of a workspace in columns. Ten thousand of them are looked at for each capture and nearly all are
 * as they were: an object, a path and a map entry for each would cost more than all the rest.
 *
 * 1. A row is one file. Rows of one folder lie together, by name; a path is put together only where one is needed.
 * 2. The stat cache keeps the same columns, so that what is and what was are compared row by row.
 */
import type { Stats } from 'node:fs';
import type { TreeMode } from '../objects/format.ts';
import { type BytePath, joinPath } from './names.ts';
import { kindOf, type WalkedEntry } from './walk.ts';

/** Values of a column `classes`: how a path is captured, derived from the agent's index and the ignore rules. */
export const TRACKED = 0;
export const UNTRACKED = 1;
export const IGNORED = 2;

/** The rows `from` to below `to` of a table: what lies directly in one folder. */
export interface FolderRows {
  readonly path: BytePath;
  readonly from: number;
  readonly to: number;
}

/** What a walk saw. */
export interface FileTable {
  readonly folders: readonly FolderRows[];
  readonly names: readonly string[];
  /** `STATS` for each row: inode, size, mtime, ctime; times in milliseconds. */
  readonly stats: ArrayLike<number>;
  /** `st_mode`, without a set-id bit that must not come back. */
  readonly modes: ArrayLike<number>;
}

/** What a capture holds of each file besides. */
export interface CapturedColumns {
  /** `TRACKED`, `UNTRACKED` or `IGNORED`. */
  readonly classes: Uint8Array;
  /** Where a file's entry begins in the agent's index; 0 where it has none. */
  readonly entries: Uint32Array;
  /** Raw ids of the contents, one after the other. */
  readonly oids: Buffer;
}

/** Numbers of `stats` for each row. */
export const STATS = 4;
/** Positions among them. */
export const INO = 0;
export const SIZE = 1;
export const MTIME = 2;
export const CTIME = 3;

/** Takes rows in the order of a walk. */
export class FileTableBuilder {
  readonly folders: FolderRows[] = [];
  readonly names: string[] = [];
  readonly stats: number[] = [];
  readonly modes: number[] = [];
  readonly #user = process.geteuid?.();
  readonly #group = process.getegid?.();
  #folder: { path: BytePath; from: number; to: number } = { path: '', from: 0, to: 0 };

  /** Rows that follow lie in this folder. */
  enter(path: BytePath): void {
    this.#folder = { path, from: this.names.length, to: this.names.length };
    this.folders.push(this.#folder);
  }

  add(name: string, stats: Stats): void {
    this.names.push(name);
    this.stats.push(stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs);
    this.modes.push(this.#keepableMode(stats));
    this.#folder.to += 1;
  }

  /** Restored files belong to us: a setuid bit of a file that belongs to someone else must not come back as ours. */
  #keepableMode({ mode, uid, gid }: Stats): number {
    if ((mode & 0o6000) === 0) return mode;
    const kept = uid === this.#user ? mode : mode & ~0o4000;
    return gid === this.#group ? kept : kept & ~0o2000;
  }
}

/** The table without some of its rows. */
export function dropRows(table: FileTable, dropped: ReadonlySet<number>): FileTable {
  if (dropped.size === 0) return table;
  const kept = { folders: [] as FolderRows[], names: [] as string[], stats: [] as number[], modes: [] as number[] };
  for (const { path, from, to } of table.folders) {
    const first = kept.names.length;
    for (let row = from; row < to; row += 1) {
      if (dropped.has(row)) continue;
      kept.names.push(table.names[row] ?? '');
      for (let at = row * STATS; at < (row + 1) * STATS; at += 1) kept.stats.push(table.stats[at] ?? 0);
      kept.modes.push(table.modes[row] ?? 0);
    }
    kept.folders.push({ path, from: first, to: kept.names.length });
  }
  return kept;
}

/** The bytes of a row's file. */
export function sizeOf(table: FileTable, row: number): number {
  return table.stats[row * STATS + SIZE] ?? 0;
}

/** The mode git stores a row with. */
export function treeModeOf(mode: number): TreeMode {
  if (kindOf(mode) === 'link') return '120000';
  return isProgram(mode) ? '100755' : '100644';
}

/** Whether git stores the mode as 100755. */
export function isProgram(mode: number): boolean {
  return (mode & 0o100) !== 0;
}

/** Paths of some rows, which are in order. */
export function listRowPaths({ folders, names }: FileTable, rows: readonly number[]): BytePath[] {
  const paths: BytePath[] = [];
  let at = 0;
  for (const { path, to } of folders) {
    for (; at < rows.length && (rows[at] ?? to) < to; at += 1) paths.push(joinPath(path, names[rows[at] ?? 0] ?? ''));
  }
  return paths;
}

/** What reading a file's content needs to know of it. */
export type FileToRead = Pick<WalkedEntry, 'path' | 'kind' | 'ino' | 'size'>;

/** One row, to be read. */
export function describeRow(table: FileTable, folder: BytePath, row: number): FileToRead {
  return {
    path: joinPath(folder, table.names[row] ?? ''),
    kind: kindOf(table.modes[row] ?? 0),
    ino: table.stats[row * STATS + INO] ?? 0,
    size: sizeOf(table, row),
  };
}

/** The raw id of one row's content as text. */
export function oidOf({ oids }: CapturedColumns, row: number, rawLength: number): string {
  return oids.toString('hex', row * rawLength, (row + 1) * rawLength);
}
