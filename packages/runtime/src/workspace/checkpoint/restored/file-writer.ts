/**
 * Writes the files of a checkpoint as their objects arrive.
 *
 * 1. What was written is read back through the same descriptor and must have the id the checkpoint names: damage in the
 *    store, on the way and in the file are all found. Files over `WHOLE_BYTES` are read back later, in pieces.
 * 2. A file is made anew, never opened through a link, and has its final mode when it is closed.
 */
import { hash } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { type BytePath, locate, nameOf, renderBytePath } from '../folder/names.ts';
import { makeModes } from '../manifest.ts';
import { hashObject } from '../objects/format.ts';
import type { ObjectSink } from '../objects/read.ts';
import type { CheckpointEntry } from '../read.ts';
import { makeDates } from './dates.ts';
import type { WriteRequest } from './write-files.ts';

/** Larger files are written as they arrive, and compared in a second pass. */
export const WHOLE_BYTES = 1024 * 1024;
const GITFILE_LIMIT_BYTES = 16 * 1024;
/** Whole blocks of zeros in large files become holes. */
const BLOCK_BYTES = 64 * 1024;
const ZEROS = Buffer.alloc(BLOCK_BYTES);
/** `blob <size>` and a NUL, for sizes up to `WHOLE_BYTES`. */
const HEADER_BYTES = 16;
const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Receives the objects of files in the order of those files. */
export class FileWriter implements ObjectSink {
  /** Files whose content was changed to name the new place: path to new id. */
  readonly rewritten = new Map<BytePath, string>();
  readonly #request: WriteRequest;
  readonly #files: readonly CheckpointEntry[];
  readonly #modeOf: ReturnType<typeof makeModes>;
  readonly #dateOf: ReturnType<typeof makeDates>;
  /** Modes a new file gets when it asks for them, whatever the umask. */
  readonly #given = new Map<number, boolean>();
  readonly #back = Buffer.allocUnsafe(HEADER_BYTES + WHOLE_BYTES + 1);
  #position = -1;
  #size = 0;
  /** Of a small file: what has arrived of it. */
  #held: Buffer[] = [];
  /** Of a large one. */
  #descriptor = -1;
  #offset = 0;

  constructor(request: WriteRequest, files: readonly CheckpointEntry[]) {
    this.#request = request;
    this.#files = files;
    this.#modeOf = makeModes(request.contents.manifest);
    this.#dateOf = makeDates(request);
  }

  begin(_oid: string, _type: string, size: number): void {
    this.#position += 1;
    this.#size = size;
    this.#held = [];
    this.#offset = 0;
    if (size > WHOLE_BYTES) this.#descriptor = this.#create(this.#current());
  }

  write(chunk: Buffer): void {
    if (this.#size <= WHOLE_BYTES) this.#held.push(chunk);
    else this.#put(this.#descriptor, chunk);
  }

  end(): void {
    if (this.#size > WHOLE_BYTES) {
      ftruncateSync(this.#descriptor, this.#size);
      this.#finish(this.#descriptor, this.#current());
      return;
    }
    const entry = this.#current();
    const [first] = this.#held;
    const arrived = this.#held.length === 1 && first !== undefined ? first : Buffer.concat(this.#held);
    const content = this.#rewrite(entry, arrived);
    const file = this.#create(entry);
    this.#put(file, content);
    this.#requireWritten(file, entry, content.length);
    this.#finish(file, entry);
  }

  #current(): CheckpointEntry {
    const entry = this.#files[this.#position];
    if (entry === undefined) throw new Error('git answered more objects than were asked for');
    return entry;
  }

  #create(entry: CheckpointEntry): number {
    return openSync(locate(this.#request.staging, entry.path), FLAGS, this.#modeOf(entry) & 0o777);
  }

  #finish(file: number, entry: CheckpointEntry): void {
    const mode = this.#modeOf(entry);
    let given = this.#given.get(mode);
    if (given === undefined) {
      given = (fstatSync(file).mode & 0o7777) === mode;
      this.#given.set(mode, given);
    }
    if (!given) fchmodSync(file, mode);
    const date = this.#dateOf(entry.path);
    futimesSync(file, date, date);
    closeSync(file);
  }

  #put(file: number, chunk: Buffer): void {
    const large = this.#size > WHOLE_BYTES;
    for (let at = 0; at < chunk.length; ) {
      const block = large ? chunk.subarray(at, at + BLOCK_BYTES) : chunk.subarray(at);
      const hole = large && block.equals(ZEROS.subarray(0, block.length));
      // A short write is not an error: the rest goes with the next round.
      const written = hole ? block.length : writeSync(file, block, 0, block.length, this.#offset);
      this.#offset += written;
      at += written;
    }
  }

  #requireWritten(file: number, { path, oid }: CheckpointEntry, size: number): void {
    const back = this.#back;
    const header = back.write(`blob ${size}\0`, 0, 'latin1');
    let length = 0;
    // One byte more than expected is asked for, so that a longer file is noticed.
    for (let read = -1; length < size && read !== 0; length += read) {
      read = readSync(file, back, header + length, size + 1 - length, length);
    }
    const found = hash(this.#request.format.name, back.subarray(0, header + size), 'hex');
    if (length === size && found === (this.rewritten.get(path) ?? oid)) return;
    throw makeContentError(path);
  }

  #rewrite({ path, oid }: CheckpointEntry, content: Buffer): Buffer {
    const { contents, target, format } = this.#request;
    const { seenAt } = contents.manifest;
    if (seenAt === null || content.length > GITFILE_LIMIT_BYTES || !namesPlaces(path)) return content;
    const changed = replacePlace(content, seenAt, target);
    // Its own bytes are not read back: they are checked here.
    if (changed !== content && hashObject(format, 'blob', content) !== oid) throw makeContentError(path);
    if (changed !== content) this.rewritten.set(path, hashObject(format, 'blob', changed));
    return changed;
  }
}

function makeContentError(path: BytePath): Error {
  return new Error(`${JSON.stringify(renderBytePath(path))} has other content than the checkpoint names`);
}

/** Files of git that hold an absolute path into the workspace: gitfiles, and the way back from a linked worktree. */
function namesPlaces(path: BytePath): boolean {
  return nameOf(path) === '.git' || /(?:^|\/)\.git\/worktrees\/[^/]+\/gitdir$/.test(path);
}

/** Makes a linked worktree point into its own workspace, not into the one it was captured in. */
function replacePlace(content: Buffer, from: string, to: string): Buffer {
  const text = content.toString('latin1');
  const [, intro = '', path = ''] = /^((?:gitdir: )?)([^\n]*)\n?$/.exec(text) ?? [];
  const old = Buffer.from(from).toString('latin1');
  if (path !== old && !path.startsWith(`${old}/`)) return content;
  return Buffer.from(`${intro}${Buffer.from(to).toString('latin1')}${path.slice(old.length)}\n`, 'latin1');
}
