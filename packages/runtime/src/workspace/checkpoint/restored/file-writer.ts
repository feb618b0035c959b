/**
 * Writes files as their objects arrive from git.
 *
 * Small ones are compared with their ids when they are written (`batch.ts`); files over `WHOLE_BYTES` later, in pieces.
 */
import { closeSync, ftruncateSync, writeSync } from 'node:fs';
import { type BytePath, nameOf, renderBytePath } from '../folder/names.ts';
import type { WalkedEntry } from '../folder/walk.ts';
import { hashObject } from '../objects/format.ts';
import type { ObjectSink } from '../objects/read.ts';
import type { CheckpointEntry } from '../read.ts';
import { type BatchFile, finishFile, makeFile, WHOLE_BYTES, writeWhole } from './batch.ts';
import { describeSeen, makeDescribe } from './batches.ts';
import type { WriteRequest } from './write-files.ts';

const GITFILE_LIMIT_BYTES = 16 * 1024;
/** Whole blocks of zeros in large files become holes. */
const BLOCK_BYTES = 64 * 1024;
const ZEROS = Buffer.alloc(BLOCK_BYTES);

/** Receives the objects of files in the order of those files. */
export class FileWriter implements ObjectSink {
  /** Files whose content was changed to name the new place: path to new id. */
  readonly rewritten = new Map<BytePath, string>();
  readonly #request: WriteRequest;
  readonly #files: readonly CheckpointEntry[];
  readonly #entries: Map<BytePath, WalkedEntry>;
  readonly #describe: (entry: CheckpointEntry) => BatchFile;
  #position = -1;
  #size = 0;
  /** Of a small file: what has arrived of it. */
  #held: Buffer[] = [];
  /** Of a large one that is being written; else -1. */
  #descriptor = -1;
  #offset = 0;

  /** `entries` gets what is seen of each file. */
  constructor(request: WriteRequest, files: readonly CheckpointEntry[], entries: Map<BytePath, WalkedEntry>) {
    this.#request = request;
    this.#files = files;
    this.#entries = entries;
    this.#describe = makeDescribe(request);
  }

  begin(_oid: string, _type: string, size: number): void {
    this.#position += 1;
    this.#size = size;
    this.#held = [];
    this.#offset = 0;
    if (size > WHOLE_BYTES) this.#descriptor = makeFile(this.#describe(this.#current()));
  }

  write(chunk: Buffer): void {
    if (this.#size <= WHOLE_BYTES) this.#held.push(chunk);
    else this.#put(chunk);
  }

  end(): void {
    const entry = this.#current();
    const seen = this.#size > WHOLE_BYTES ? this.#finish(entry) : this.#writeHeld(entry);
    this.#entries.set(entry.path, describeSeen(entry.path, seen));
  }

  /** Closes what a failure left open. */
  close(): void {
    if (this.#descriptor >= 0) closeSync(this.#descriptor);
    this.#descriptor = -1;
  }

  #current(): CheckpointEntry {
    const entry = this.#files[this.#position];
    if (entry === undefined) throw new Error('git answered more objects than were asked for');
    return entry;
  }

  #finish(entry: CheckpointEntry): readonly number[] {
    ftruncateSync(this.#descriptor, this.#size);
    const seen = finishFile(this.#descriptor, this.#describe(entry));
    this.close();
    return seen;
  }

  #writeHeld(entry: CheckpointEntry): readonly number[] {
    const content = this.#rewrite(entry, Buffer.concat(this.#held));
    const oid = this.rewritten.get(entry.path) ?? entry.oid;
    const seen = writeWhole({ ...this.#describe(entry), oid }, content, this.#request.format.name);
    if (seen === null) throw makeContentError(entry.path);
    return seen;
  }

  #put(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const block = chunk.subarray(at, at + BLOCK_BYTES);
      const hole = block.equals(ZEROS.subarray(0, block.length));
      // A short write is not an error: the rest goes with the next round.
      const written = hole ? block.length : writeSync(this.#descriptor, block, 0, block.length, this.#offset);
      this.#offset += written;
      at += written;
    }
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

/** Files of git that hold an absolute path into the workspace: gitfiles, and the way back from a linked worktree. */
export function namesPlaces(path: BytePath): boolean {
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

function makeContentError(path: BytePath): Error {
  return new Error(`${JSON.stringify(renderBytePath(path))} has other content than the checkpoint names`);
}
