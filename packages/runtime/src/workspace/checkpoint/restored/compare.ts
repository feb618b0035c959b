/**
 * Compares what was written with the checkpoint: every path, type and permission bit, that nothing else is there,
 * and the bytes of links and of the files whose writer did not read them back.
 */
import { readChunks, readLink } from '../folder/content.ts';
import { type BytePath, renderBytePath } from '../folder/names.ts';
import { type WalkedEntry, walkFolder } from '../folder/walk.ts';
import { makeModes } from '../manifest.ts';
import { hashObject, type ObjectFormat, startObjectHash } from '../objects/format.ts';
import type { CheckpointContents, CheckpointEntry } from '../read.ts';
import { WHOLE_BYTES } from './file-writer.ts';
import { listFolders } from './write-files.ts';

export interface CompareRequest {
  readonly contents: CheckpointContents;
  readonly staging: string;
  readonly format: ObjectFormat;
  readonly rewritten: ReadonlyMap<BytePath, string>;
}

const MOST_PROBLEMS = 5;

export interface Comparison {
  /** What differs, in words. */
  readonly problems: readonly string[];
  /** What is there. */
  readonly entries: ReadonlyMap<BytePath, WalkedEntry>;
}

/** Compares a restored folder; folder modes are applied after this and not looked at. */
export async function compareWithCheckpoint(request: CompareRequest): Promise<Comparison> {
  const { contents, staging } = request;
  const problems: string[] = [];
  const note = (path: BytePath, problem: string) => problems.push(`${JSON.stringify(renderBytePath(path))} ${problem}`);
  const walk = await walkFolder(staging, '', (path) => path === '.git/objects');
  const entries = new Map<BytePath, WalkedEntry>();
  for (const entry of walk.entries) entries.set(entry.path, entry);
  const modeOf = makeModes(contents.manifest);
  for (const expected of contents.entries) {
    const entry = entries.get(expected.path);
    const problem = entry === undefined ? 'is missing' : compareKind(expected, entry, modeOf(expected));
    if (problem !== null) note(expected.path, problem);
    else if (entry !== undefined && isUnread(entry)) {
      const oid = await hashWritten(request, entry);
      if (oid !== (request.rewritten.get(expected.path) ?? expected.oid)) note(expected.path, 'has other content');
    }
    if (problems.length >= MOST_PROBLEMS) return { problems, entries };
  }
  const wanted = new Set(listFolders(contents));
  for (const path of wanted) if (path !== '' && entries.get(path)?.kind !== 'folder') note(path, 'is no folder');
  for (const { path } of contents.entries) wanted.add(path);
  for (const path of entries.keys()) if (!wanted.has(path)) note(path, 'should not be there');
  return { problems: problems.slice(0, MOST_PROBLEMS), entries };
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
