/**
 * Compares what was written with the checkpoint: every path, type and permission bit, that nothing else is there,
 * and the bytes of links and of the files whose writer did not read them back. A file's type and bits are those its
 * writer saw when it closed it.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { readChunks, readLink } from '../folder/content.ts';
import { type BytePath, locate, renderBytePath } from '../folder/names.ts';
import { describeEntry, type WalkedEntry } from '../folder/walk.ts';
import { makeModes } from '../manifest.ts';
import { hashObject, type ObjectFormat, startObjectHash } from '../objects/format.ts';
import type { CheckpointContents, CheckpointEntry } from '../read.ts';
import { WHOLE_BYTES } from './batch.ts';
import { listFolders, type WrittenFiles } from './write-files.ts';

export interface CompareRequest {
  readonly contents: CheckpointContents;
  readonly staging: string;
  readonly format: ObjectFormat;
  readonly written: WrittenFiles;
}

const MOST_PROBLEMS = 5;

export interface Comparison {
  /** What differs, in words. */
  readonly problems: readonly string[];
  /** The files and links that are there. */
  readonly entries: ReadonlyMap<BytePath, WalkedEntry>;
}

/** Compares a restored folder; folder modes are applied after this and not looked at. */
export async function compareWithCheckpoint(request: CompareRequest): Promise<Comparison> {
  const { contents, staging, written } = request;
  const problems: string[] = [];
  const note = (path: BytePath, problem: string) => problems.push(`${JSON.stringify(renderBytePath(path))} ${problem}`);
  const entries = new Map(written.entries);
  const names = listNames(contents, staging);
  const modeOf = makeModes(contents.manifest);
  for (const expected of contents.entries) {
    const { path } = expected;
    const there = names.delete(path);
    if (there && expected.mode === '120000') entries.set(path, describeEntry(path, lstatSync(locate(staging, path))));
    const entry = there ? entries.get(path) : undefined;
    const problem = entry === undefined ? 'is missing' : compareKind(expected, entry, modeOf(expected));
    if (problem !== null) note(path, problem);
    else if (entry !== undefined && isUnread(entry)) {
      const oid = await hashWritten(request, entry);
      if (oid !== (written.rewritten.get(path) ?? expected.oid)) note(path, 'has other content');
    }
    if (problems.length >= MOST_PROBLEMS) return { problems, entries };
  }
  // Its own content is no part of the tree.
  names.delete('.git/objects');
  for (const path of names) note(path, 'should not be there');
  return { problems: problems.slice(0, MOST_PROBLEMS), entries };
}

/** Every name in the folders of the checkpoint but those folders; throws where one of them is no folder. */
function listNames(contents: CheckpointContents, staging: string): Set<BytePath> {
  const folders = listFolders(contents);
  const names = new Set<BytePath>();
  for (const folder of folders) {
    // The typings know only 'buffer' and UTF-8 here; any encoding works, and latin1 keeps every byte.
    const below = readdirSync(locate(staging, folder), 'latin1' as BufferEncoding);
    for (const name of below) names.add(folder === '' ? name : `${folder}/${name}`);
  }
  for (const folder of folders) names.delete(folder);
  return names;
}

function compareKind(expected: CheckpointEntry, entry: WalkedEntry, permissions: number): string | null {
  const kind = expected.mode === '120000' ? 'link' : 'file';
  if (entry.kind !== kind) return `is a ${entry.kind}, not a ${kind}`;
  if (kind === 'link' || entry.mode === permissions) return null;
  return `has mode ${entry.mode.toString(8)}, not ${permissions.toString(8)}`;
}

/** Whether the bytes have not been read back yet. */
function isUnread(entry: WalkedEntry): boolean {
  return entry.kind === 'link' || entry.size > WHOLE_BYTES;
}

async function hashWritten({ staging, format }: CompareRequest, entry: WalkedEntry): Promise<string> {
  if (entry.kind === 'link') return hashObject(format, 'blob', readLink(staging, entry));
  const digest = startObjectHash(format, 'blob', entry.size);
  for (const chunk of readChunks(staging, entry)) {
    digest.update(chunk);
    await new Promise(setImmediate);
  }
  return digest.digest('hex');
}
