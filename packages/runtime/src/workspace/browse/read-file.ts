/** Reads a part of one file of a checkpoint, without a working tree. */
import { isRefusal, type Refusal, refuse } from '@ramet/core/codes';
import { renderBytePath } from '../checkpoint/index.ts';
import { readCheckpointHead } from '../checkpoint/read.ts';
import { startGit } from '../git/index.ts';
import { parseTreePath } from './paths.ts';
import { findEntry, isFolder } from './tree.ts';
import type { StoredCheckpoint } from './turn-checkpoint.ts';

export interface ReadFileOptions {
  /** First byte; absent: 0. */
  readonly from?: number;
  /** Most bytes; absent: 1 MiB. Never more than 16 MiB. */
  readonly limitBytes?: number;
}

export interface FilePart {
  /** The text of a link is what it names; that is never followed. */
  readonly kind: 'file' | 'link';
  /** Of the whole file. */
  readonly bytes: number;
  readonly from: number;
  readonly content: Buffer;
}

const DEFAULT_LIMIT_BYTES = 1024 * 1024;
const HIGHEST_LIMIT_BYTES = 16 * 1024 * 1024;

/**
 * Reads a file of a checkpoint's working tree; less than was asked for only where it ends, null when there is none
 * at that path. Refuses with `bad_input` (a path or a range that cannot be used, a folder); throws `checkpoint_missing` when the
 * store does not have the checkpoint.
 */
export async function readCheckpointPart(
  { project, checkpoint }: StoredCheckpoint,
  path: string | Uint8Array,
  { from = 0, limitBytes = DEFAULT_LIMIT_BYTES }: ReadFileOptions = {},
): Promise<FilePart | Refusal | null> {
  const names = parseTreePath(path);
  if (isRefusal(names)) return names;
  if (!isCount(from) || !isCount(limitBytes)) return refuse('bad_input', 'a range is made of whole numbers from 0 on');
  const { trees } = await readCheckpointHead(project, checkpoint);
  const root = trees.get('files');
  const entry = root === undefined ? null : await findEntry(project.storeGit, root, names);
  if (entry === null) return null;
  if (isFolder(entry)) return refuse('bad_input', `${renderBytePath(names.join('/')) || 'the root'} is a folder`);
  const bytes = entry.bytes ?? 0;
  const end = Math.min(bytes, from + Math.min(limitBytes, HIGHEST_LIMIT_BYTES));
  const content = await readBlobPart(project.storeGit, entry.oid, { from, end });
  return { kind: entry.mode === '120000' ? 'link' : 'file', bytes, from, content };
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** What lies before the part is read and dropped: git has no other way to it. */
async function readBlobPart(
  gitDir: string,
  oid: string,
  { from, end }: { readonly from: number; readonly end: number },
): Promise<Buffer> {
  if (from >= end) return Buffer.alloc(0);
  const running = await startGit({ gitDir, args: ['cat-file', 'blob', oid] });
  const pieces: Buffer[] = [];
  let at = 0;
  try {
    running.process.stdin.end();
    for await (const piece of running.process.stdout) {
      const chunk = piece as Buffer;
      pieces.push(chunk.subarray(Math.max(from - at, 0), Math.max(end - at, 0)));
      at += chunk.length;
      if (at >= end) break;
    }
    // One that ends early says why.
    if (at < end) await running.ended;
    return Buffer.concat(pieces);
  } finally {
    running.process.kill();
  }
}
