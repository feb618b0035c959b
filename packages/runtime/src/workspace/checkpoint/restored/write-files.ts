/** Writes the files, links and folders of a checkpoint into a new folder of ours. */
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  ftruncateSync,
  futimesSync,
  lutimesSync,
  mkdirSync,
  openSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import type { Project } from '../../types.ts';
import { type BytePath, folderOf, locate, nameOf } from '../folder/names.ts';
import type { Manifest } from '../manifest.ts';
import { hashObject, type ObjectFormat } from '../objects/format.ts';
import { type ObjectSink, streamObjects } from '../objects/read.ts';
import type { CheckpointContents, CheckpointEntry } from '../read.ts';

export interface WriteRequest {
  readonly project: Project;
  readonly contents: CheckpointContents;
  /** Where it is written. */
  readonly staging: string;
  /** Where it will be. */
  readonly target: string;
  readonly format: ObjectFormat;
}

export interface WrittenFiles {
  /** Files whose content names the workspace's own place and was changed to the new one: path to new id. */
  readonly rewritten: ReadonlyMap<BytePath, string>;
}

const GITFILE_LIMIT_BYTES = 16 * 1024;
/** Whole blocks of zeros in large files become holes. */
const BLOCK_BYTES = 64 * 1024;
const ZEROS = Buffer.alloc(BLOCK_BYTES);
/**
 * Restored files are dated a minute back: git takes a file as old as its index for possibly changed, and a file edited
 * in the second it was restored in would look unchanged.
 */
const AGE_SECONDS = 60;

/** Writes everything but folder modes, which would stand in the way of writing. */
export async function writeFiles(request: WriteRequest): Promise<WrittenFiles> {
  const { contents, staging, project } = request;
  makeFolders(contents, staging);
  const files = contents.entries.filter((entry) => entry.mode !== '120000');
  const links = contents.entries.filter((entry) => entry.mode === '120000');
  const writer = new FileWriter(request, files);
  await streamObjects(
    project.storeGit,
    files.map((entry) => entry.oid),
    writer,
  );
  await writeLinks(request, links);
  return { rewritten: writer.rewritten };
}

function makeFolders(contents: CheckpointContents, staging: string): void {
  const made = new Set<BytePath>(['']);
  const make = (path: BytePath) => {
    if (made.has(path)) return;
    make(folderOf(path));
    mkdirSync(locate(staging, path), { mode: 0o700 });
    made.add(path);
  };
  for (const { path } of contents.entries) make(folderOf(path));
  for (const path of contents.manifest.folders) make(path);
}

/** The permission bits of every path of a checkpoint. */
export function makeModes(manifest: Manifest): (entry: { path: BytePath; mode: string }) => number {
  const odd = new Map(manifest.odd);
  return ({ path, mode }) =>
    odd.get(path) ??
    (mode === '40000' ? manifest.modes.folder : mode === '100755' ? manifest.modes.program : manifest.modes.file);
}

class FileWriter implements ObjectSink {
  readonly rewritten = new Map<BytePath, string>();
  readonly #request: WriteRequest;
  readonly #files: readonly CheckpointEntry[];
  readonly #modeOf: ReturnType<typeof makeModes>;
  readonly #date = Math.floor(Date.now() / 1000) - AGE_SECONDS;
  #position = -1;
  #descriptor = -1;
  #size = 0;
  #offset = 0;
  /** The content of a small file that may name the workspace's place. */
  #held: Buffer[] | null = null;

  constructor(request: WriteRequest, files: readonly CheckpointEntry[]) {
    this.#request = request;
    this.#files = files;
    this.#modeOf = makeModes(request.contents.manifest);
  }

  begin(_oid: string, _type: string, size: number): void {
    this.#position += 1;
    const { path } = this.#current();
    const { seenAt } = this.#request.contents.manifest;
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    this.#descriptor = openSync(locate(this.#request.staging, path), flags, 0o600);
    this.#size = size;
    this.#offset = 0;
    this.#held = seenAt !== null && size <= GITFILE_LIMIT_BYTES && namesPlaces(path) ? [] : null;
  }

  write(chunk: Buffer): void {
    if (this.#held !== null) this.#held.push(Buffer.from(chunk));
    else this.#put(chunk);
  }

  end(): void {
    const { path, mode } = this.#current();
    if (this.#held !== null) this.#put(this.#rewrite(path, Buffer.concat(this.#held)));
    if (this.#size > BLOCK_BYTES) ftruncateSync(this.#descriptor, this.#size);
    fchmodSync(this.#descriptor, this.#modeOf({ path, mode }));
    futimesSync(this.#descriptor, this.#date, this.#date);
    closeSync(this.#descriptor);
  }

  #current(): CheckpointEntry {
    const entry = this.#files[this.#position];
    if (entry === undefined) throw new Error('git answered more objects than were asked for');
    return entry;
  }

  #put(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const block = chunk.subarray(at, this.#size > BLOCK_BYTES ? at + BLOCK_BYTES : chunk.length);
      const hole = this.#size > BLOCK_BYTES && block.equals(ZEROS.subarray(0, block.length));
      // A short write is not an error: the rest goes with the next round.
      const written = hole ? block.length : writeSync(this.#descriptor, block, 0, block.length, this.#offset);
      this.#offset += written;
      at += written;
    }
  }

  #rewrite(path: BytePath, content: Buffer): Buffer {
    const { contents, target, format } = this.#request;
    const changed = replacePlace(content, contents.manifest.seenAt ?? '', target);
    if (changed !== content) this.rewritten.set(path, hashObject(format, 'blob', changed));
    return changed;
  }
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

async function writeLinks(request: WriteRequest, links: readonly CheckpointEntry[]): Promise<void> {
  const { staging, project } = request;
  const date = Math.floor(Date.now() / 1000) - AGE_SECONDS;
  let position = -1;
  let text: Buffer[] = [];
  await streamObjects(
    project.storeGit,
    links.map((link) => link.oid),
    {
      begin: () => {
        position += 1;
        text = [];
      },
      write: (chunk) => text.push(Buffer.from(chunk)),
      end: () => {
        const path = locate(staging, links[position]?.path ?? '');
        symlinkSync(Buffer.concat(text), path);
        lutimesSync(path, date, date);
      },
    },
  );
}

/** Gives every folder its mode, the deepest first: a folder without write permission is still written to before. */
export function applyFolderModes(contents: CheckpointContents, staging: string): void {
  const modeOf = makeModes(contents.manifest);
  for (const path of listFolders(contents).reverse()) chmodSync(locate(staging, path), modeOf({ path, mode: '40000' }));
}

/** Every folder of a checkpoint, the root first, parents before children. */
export function listFolders(contents: CheckpointContents): BytePath[] {
  const folders = new Set<BytePath>(['']);
  const add = (path: BytePath) => {
    if (folders.has(path)) return;
    add(folderOf(path));
    folders.add(path);
  };
  for (const { path } of contents.entries) add(folderOf(path));
  for (const path of contents.manifest.folders) add(path);
  return [...folders];
}
