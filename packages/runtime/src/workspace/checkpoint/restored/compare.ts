/** Compares what was written with the checkpoint: every path, type, permission bit and byte, and that nothing else is there. */

import { readChunks, readLink, readWhole } from '../folder/content.ts';
import { type BytePath, renderBytePath } from '../folder/names.ts';
import { type WalkedEntry, walkFolder } from '../folder/walk.ts';
import { hashObject, type ObjectFormat, startObjectHash } from '../objects/format.ts';
import type { CheckpointContents, CheckpointEntry } from '../read.ts';
import { listFolders, makeModes } from './write-files.ts';

export interface CompareRequest {
  readonly contents: CheckpointContents;
  readonly staging: string;
  readonly format: ObjectFormat;
  readonly rewritten: ReadonlyMap<BytePath, string>;
}

const WHOLE_BYTES = 1024 * 1024;
const MOST_PROBLEMS = 5;

/** What differs, in words; folder modes are applied after this and not looked at. */
export async function compareWithCheckpoint(request: CompareRequest): Promise<string[]> {
  const { contents, staging } = request;
  const problems: string[] = [];
  const walk = await walkFolder(staging, '', (path) => path === '.git/objects');
  const found = new Map(walk.entries.map((entry) => [entry.path, entry]));
  const modeOf = makeModes(contents.manifest);
  for (const expected of contents.entries) {
    const entry = found.get(expected.path);
    found.delete(expected.path);
    const problem =
      entry === undefined
        ? 'is missing'
        : await compareEntry(request, { ...expected, permissions: modeOf(expected) }, entry);
    if (problem !== null) problems.push(`${JSON.stringify(renderBytePath(expected.path))} ${problem}`);
    if (problems.length >= MOST_PROBLEMS) return problems;
  }
  for (const path of listFolders(contents)) {
    if (path !== '' && found.get(path)?.kind !== 'folder')
      problems.push(`folder ${JSON.stringify(renderBytePath(path))} is missing`);
    found.delete(path);
  }
  for (const path of found.keys()) problems.push(`${JSON.stringify(renderBytePath(path))} should not be there`);
  return problems.slice(0, MOST_PROBLEMS);
}

async function compareEntry(
  request: CompareRequest,
  expected: CheckpointEntry & { readonly permissions: number },
  entry: WalkedEntry,
): Promise<string | null> {
  const kind = expected.mode === '120000' ? 'link' : 'file';
  if (entry.kind !== kind) return `is a ${entry.kind}, not a ${kind}`;
  if (kind === 'file' && entry.mode !== expected.permissions) {
    return `has mode ${entry.mode.toString(8)}, not ${expected.permissions.toString(8)}`;
  }
  const oid = await hashWritten(request, entry);
  return oid === (request.rewritten.get(expected.path) ?? expected.oid) ? null : 'has other content';
}

async function hashWritten({ staging, format }: CompareRequest, entry: WalkedEntry): Promise<string> {
  if (entry.kind === 'link') return hashObject(format, 'blob', readLink(staging, entry));
  if (entry.size <= WHOLE_BYTES) return hashObject(format, 'blob', readWhole(staging, entry));
  const digest = startObjectHash(format, 'blob', entry.size);
  for (const chunk of readChunks(staging, entry)) {
    digest.update(chunk);
    await new Promise(setImmediate);
  }
  return digest.digest('hex');
}
