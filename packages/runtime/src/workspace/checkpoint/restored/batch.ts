/**
 * Writes a batch of small files from packs. Runs in threads too: knows data alone, and imports little.
 *
 * 1. What was written is read back through the same descriptor and must have the id that is asked for: damage in the
 *    store, on the way and in the file are all found. A file that differs is removed and left to git, which may have
 *    another copy.
 * 2. A file is made anew, never opened through a link, and has its final mode and date when it is closed.
 */
import { hash } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  futimesSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import type { PackReader } from './packs/reader.ts';

/** A file to write. */
export interface BatchFile {
  /** Its whole path. */
  readonly place: string | Uint8Array;
  readonly mode: number;
  /** Seconds since 1970. */
  readonly date: number;
  /** The id its content has. */
  readonly oid: string;
}

export type HashName = 'sha1' | 'sha256';

/** What became of a batch. */
export interface WrittenBatch {
  /** `SEEN_FIELDS` numbers for each file: what `finishFile` answers. */
  readonly seen: Float64Array<ArrayBuffer>;
  /** Positions of files that no pack had, or only with other content; they are not there. */
  readonly unread: readonly number[];
}

/** Larger files are written piece by piece, not from here. */
export const WHOLE_BYTES = 1024 * 1024;
/** Mode, size, inode, time of modification and of change in ms, user, group. */
export const SEEN_FIELDS = 7;

const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
/** `blob <size>` and a NUL, for sizes up to `WHOLE_BYTES`. */
const HEADER_BYTES = 16;
/** Of this thread: what is read back, behind its header. */
const back = Buffer.allocUnsafeSlow(HEADER_BYTES + WHOLE_BYTES + 1);

/** Writes the files; throws as `node:fs` does, and then some of them are there. */
export function writeBatch(packs: PackReader, files: readonly BatchFile[], hashName: HashName): WrittenBatch {
  const seen = new Float64Array(files.length * SEEN_FIELDS);
  const unread: number[] = [];
  for (const [position, file] of files.entries()) {
    const content = packs.readBlob(file.oid);
    const written = content === null ? null : writeWhole(file, content, hashName);
    if (written !== null) seen.set(written, position * SEEN_FIELDS);
    else unread.push(position);
    if (written === null && content !== null) unlinkSync(nameOf(file));
  }
  return { seen, unread };
}

/** Writes one small file and says what is seen of it; null when what was written does not have its id. */
export function writeWhole(file: BatchFile, content: Buffer, hashName: HashName): readonly number[] | null {
  const descriptor = makeFile(file);
  try {
    // A short write is not an error: the rest goes with the next round.
    for (let at = 0; at < content.length; ) at += writeSync(descriptor, content, at, content.length - at, at);
    if (hashWritten(descriptor, content.length, hashName) !== file.oid) return null;
    return finishFile(descriptor, file);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes a new file, open for reading and writing. */
export function makeFile(file: BatchFile): number {
  return openSync(nameOf(file), FLAGS, file.mode & 0o777);
}

/** A thread is handed the bytes of a name without Node's own type. */
function nameOf({ place }: BatchFile): string | Buffer {
  return typeof place === 'string' ? place : Buffer.from(place);
}

/** Gives a written file its date, and its mode where the umask or a special bit was in the way; says what is seen of it. */
export function finishFile(descriptor: number, { mode, date }: BatchFile): readonly number[] {
  futimesSync(descriptor, date, date);
  let stats = fstatSync(descriptor);
  if ((stats.mode & 0o7777) !== mode) {
    fchmodSync(descriptor, mode);
    stats = fstatSync(descriptor);
  }
  return [stats.mode, stats.size, stats.ino, stats.mtimeMs, stats.ctimeMs, stats.uid, stats.gid];
}

function hashWritten(descriptor: number, size: number, hashName: HashName): string | null {
  const header = back.write(`blob ${size}\0`, 0, 'latin1');
  let length = 0;
  // One byte more than expected is asked for, so that a longer file is noticed.
  for (let read = -1; length < size && read !== 0; length += read) {
    read = readSync(descriptor, back, header + length, size + 1 - length, length);
  }
  return length === size ? hash(hashName, back.subarray(0, header + size), 'hex') : null;
}
