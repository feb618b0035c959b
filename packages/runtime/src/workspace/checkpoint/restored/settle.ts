/**
 * Fills the stat fields of a restored index from the restored files, for the entries git trusted when they were
 * captured. Without that, an entry whose content git would convert (line ends, filters changed since it was added)
 * shows as modified where it did not before; and the first `git status` would read every file.
 */
import { lstatSync, lutimesSync, readFileSync, type Stats, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type IndexEntry, parseIndex, withChecksum } from '../agent-git/index-file.ts';
import { locate } from '../folder/names.ts';
import type { ObjectFormat } from '../objects/format.ts';
import type { CheckpointContents } from '../read.ts';

export interface SettleRequest {
  readonly contents: CheckpointContents;
  readonly staging: string;
  readonly format: ObjectFormat;
}

/** Fills in the stat fields. The index must have been compared with the checkpoint before. */
export function settleIndex({ contents, staging, format }: SettleRequest): void {
  const { rule, except, young } = contents.manifest.settled;
  if (rule === 'none_except' && except.length === 0) return;
  const path = join(staging, '.git', 'index');
  const stored = new Set(contents.entries.map((entry) => entry.path));
  if (!stored.has('.git/index')) return;
  const index = parseIndex(readFileSync(path), format);
  if (index.link !== null) return;
  const now = Math.floor(Date.now() / 1000);
  // As old as the index will be: git then compares their content, as it did where they were captured.
  for (const file of young) if (stored.has(file)) lutimesSync(locate(staging, file), now, now);
  const body = index.normalised.subarray(0, index.normalised.length - format.rawLength);
  const exceptions = new Set(except);
  for (const entry of index.entries) {
    const trusted = (rule === 'all_except') !== exceptions.has(entry.path);
    if (trusted && entry.stage === 0 && !entry.intentToAdd && stored.has(entry.path)) {
      fillStat(body, entry, lstatSync(locate(staging, entry.path)));
    }
  }
  writeFileSync(path, withChecksum(body, format), { flag: 'r+' });
  lutimesSync(path, now, now);
}

function fillStat(body: Buffer, { offset }: IndexEntry, stats: Stats): void {
  const put = (field: number, value: number) => body.writeUInt32BE(value % 2 ** 32, offset + field);
  put(0, Math.floor(stats.ctimeMs / 1000));
  put(4, Math.round((stats.ctimeMs % 1000) * 1e6));
  put(8, Math.floor(stats.mtimeMs / 1000));
  put(12, Math.round((stats.mtimeMs % 1000) * 1e6));
  put(16, stats.dev);
  put(20, stats.ino);
  put(28, stats.uid);
  put(32, stats.gid);
  put(36, stats.size);
}
