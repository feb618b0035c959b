/** Reads the content of files a walk found. No link is followed, and a file that changes meanwhile is an error. */
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync } from 'node:fs';
import { Failure } from '@ramet/core/codes';
import type { FileToRead } from './file-table.ts';
import { type BytePath, locate, renderBytePath } from './names.ts';

const CHUNK_BYTES = 1024 * 1024;

/** Reads a file in pieces, exactly as long as lstat said; never through a link, never another file. */
export function* readChunks(root: string, entry: FileToRead): Generator<Buffer> {
  const file = openWalked(root, entry);
  try {
    let left = entry.size;
    while (left > 0) {
      // A fresh buffer each time: the consumer may hold on to it.
      const chunk = Buffer.allocUnsafe(Math.min(left, CHUNK_BYTES));
      const read = readSync(file, chunk, 0, chunk.length, null);
      if (read === 0) throw changedMeanwhile(entry.path);
      left -= read;
      yield chunk.subarray(0, read);
    }
    if (fstatSync(file).size !== entry.size) throw changedMeanwhile(entry.path);
  } finally {
    closeSync(file);
  }
}

/** Opens a file that was walked; throws when the name now means another file. */
function openWalked(root: string, entry: FileToRead): number {
  const file = openSync(locate(root, entry.path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const stats = fstatSync(file);
  if (stats.isFile() && stats.ino === entry.ino && stats.size === entry.size) return file;
  closeSync(file);
  throw changedMeanwhile(entry.path);
}

/** The whole of a small file. */
export function readWhole(root: string, entry: FileToRead): Buffer {
  const file = openWalked(root, entry);
  try {
    // One byte more than expected: a file that grew fills it, and one read is all that most files take.
    const bytes = Buffer.allocUnsafe(entry.size + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length !== entry.size && length < bytes.length; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, null);
    }
    if (length !== entry.size) throw changedMeanwhile(entry.path);
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

/** A link's text as bytes. */
export function readLink(root: string, entry: FileToRead): Buffer {
  return readlinkSync(locate(root, entry.path), 'buffer');
}

/** The failure of a file that is not what lstat said a moment ago. */
export function changedMeanwhile(path: BytePath): Failure {
  return new Failure(
    'checkpoint_failed',
    `The file ${JSON.stringify(renderBytePath(path))} changed while it was being captured: a process of the run is still alive. End it and try again.`,
  );
}
