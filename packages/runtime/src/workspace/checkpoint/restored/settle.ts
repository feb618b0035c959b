/**
 * Fills the stat fields of a restored index from the restored files, for the entries git trusted when they were
 * captured. Without that, an entry whose content git would convert (line ends, filters changed since it was added)
 * shows as modified where it did not before; and the first `git status` would read every file.
 */
import { lstatSync, lutimesSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type IndexEntry, parseIndex, withChecksum } from '../agent-git/index-file.ts';
import type { BytePath } from '../folder/names.ts';
import type { WalkedEntry } from '../folder/walk.ts';
import type { ObjectFormat } from '../objects/format.ts';
import type { CheckpointContents } from '../read.ts';

export interface SettleRequest {
  readonly contents: CheckpointContents;
  readonly staging: string;
  readonly format: ObjectFormat;
  /** What a walk found in the folder. */
  readonly entries: ReadonlyMap<BytePath, WalkedEntry>;
  /** See `dates.ts`. */
  readonly indexDate: number;
}

/** Fills in the stat fields. The index must have been compared with the checkpoint before. */
export function settleIndex({ contents, staging, format, entries, indexDate }: SettleRequest): void {
  const { rule, except } = contents.manifest.settled;
  if (rule === 'none_except' && except.length === 0) return;
  const path = join(staging, '.git', 'index');
  if (!entries.has('.git/index')) return;
  const index = parseIndex(readFileSync(path), format);
  if (index.link !== null) return;
  const body = index.normalised.subarray(0, index.normalised.length - format.rawLength);
  const exceptions = new Set(except);
  const device = lstatSync(path).dev;
  for (const entry of index.entries) {
    const trusted = (rule === 'all_except') !== exceptions.has(entry.path);
    const file = entries.get(entry.path);
    if (trusted && entry.stage === 0 && !entry.intentToAdd && isContent(file))
      fillStat(body, entry, { ...file, device });
  }
  writeFileSync(path, withChecksum(body, format), { flag: 'r+' });
  lutimesSync(path, indexDate, indexDate);
}

function isContent(entry: WalkedEntry | undefined): entry is WalkedEntry {
  return entry?.kind === 'file' || entry?.kind === 'link';
}

function fillStat(body: Buffer, { offset }: IndexEntry, file: WalkedEntry & { readonly device: number }): void {
  const put = (field: number, value: number) => body.writeUInt32BE(value % 2 ** 32, offset + field);
  put(0, Math.floor(file.ctimeMs / 1000));
  put(4, Math.round((file.ctimeMs % 1000) * 1e6));
  put(8, Math.floor(file.mtimeMs / 1000));
  put(12, Math.round((file.mtimeMs % 1000) * 1e6));
  put(16, file.device);
  put(20, file.ino);
  put(28, file.uid);
  put(32, file.gid);
  put(36, file.size);
}
