/**
 * How file tools read and write: regular files only, and never one outside the workspace.
 *
 * 1. A file is opened without following links and without waiting (a FIFO would block), then looked at through its
 *    descriptor; on Linux the kernel is asked where the descriptor leads, which also catches a folder swapped meanwhile.
 * 2. A write makes a new file beside the target and renames it: readers see the old or the new content, a hard link
 *    elsewhere keeps the old. The new file's name is derived from the content, so that a call run again after a crash
 *    takes the same name and leaves nothing behind.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { type ResolvedPath, resolvePath } from './path.ts';
import type { ToolContext } from './types.ts';

/** Whole files are read up to this size. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Why a tool cannot do what was asked, for the model; thrown within tools only, answered as `error-text`. */
export class ToolProblem extends Error {}

/** Resolves a path of the call; throws `ToolProblem` where it may not be used. */
export function locate(path: string, context: ToolContext): Exclude<ResolvedPath, { kind: 'refused' }> {
  const { workspace, cwd, runsFolder } = context;
  const request = { workspace, guestPath: context.sandbox.guestPath, cwd, path };
  const resolved = resolvePath(runsFolder === undefined ? request : { ...request, runsFolder });
  if (resolved.kind === 'refused') throw new ToolProblem(`${resolved.reason}.`);
  return resolved;
}

/** Opens a regular file for reading; the caller closes the descriptor. Throws `ToolProblem`. */
export function openRegularFile(
  path: string,
  context: ToolContext,
): { readonly descriptor: number; readonly stat: Stats } {
  const resolved = locate(path, context);
  if (resolved.kind === 'missing') throw new ToolProblem(`${JSON.stringify(path)} does not exist.`);
  requireRegular(path, resolved.stat);
  const descriptor = openChecked(resolved.hostPath, constants.O_RDONLY, context.workspace);
  const stat = fstatSync(descriptor);
  if (stat.isFile()) return { descriptor, stat };
  closeSync(descriptor);
  throw new ToolProblem(`${JSON.stringify(path)} is ${kindOf(stat)}, not a file.`);
}

/** Reads a whole file of at most `MAX_FILE_BYTES`. Throws `ToolProblem`. */
export function readWholeFile(path: string, context: ToolContext): Buffer {
  const { descriptor, stat } = openRegularFile(path, context);
  try {
    if (stat.size > MAX_FILE_BYTES)
      throw new ToolProblem(
        `${JSON.stringify(path)} is too large for this tool (${stat.size} bytes, at most ${MAX_FILE_BYTES}).`,
      );
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Writes a file, with folders above it where they are missing; keeps an existing file's mode. Throws `ToolProblem`. */
export function writeWholeFile(path: string, content: Uint8Array, context: ToolContext): void {
  const resolved = locate(path, context);
  if (resolved.relative === '' || path.endsWith('/'))
    throw new ToolProblem(`${JSON.stringify(path)} names a folder, not a file.`);
  refuseFrozen(path, resolved.relative, context);
  const old = resolved.kind === 'found' ? resolved.stat : null;
  if (old !== null) requireRegular(path, old);
  else makeFolders(context.workspace, dirname(resolved.relative));
  const folder = openChecked(dirname(resolved.hostPath), constants.O_RDONLY | constants.O_DIRECTORY, context.workspace);
  try {
    replaceFile({
      folder: pathOfDescriptor(folder) ?? dirname(resolved.hostPath),
      name: basename(resolved.hostPath),
      content,
      old,
    });
  } finally {
    closeSync(folder);
  }
}

interface Replacement {
  readonly folder: string;
  readonly name: string;
  readonly content: Uint8Array;
  readonly old: Stats | null;
}

function replaceFile({ folder, name, content, old }: Replacement): void {
  const digest = createHash('sha256').update(name).update('\0').update(content).digest('hex');
  const temporary = join(folder, `.ramet-${digest.slice(0, 24)}.tmp`);
  rmSync(temporary, { force: true });
  try {
    writeFileSync(temporary, content, { flag: 'wx' });
    if (old !== null) keepOwnership(temporary, old);
    renameSync(temporary, join(folder, name));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function keepOwnership(path: string, old: Stats): void {
  try {
    chownSync(path, old.uid, old.gid);
  } catch {
    // Only root may give a file away; without that right the new file is ours, as it is with any editor.
  }
  chmodSync(path, old.mode & 0o777);
}

/** One by one and never through a link: what is there must be a folder. */
function makeFolders(workspace: string, relative: string): void {
  let folder = workspace;
  for (const name of relative.split(sep).filter((part) => part !== '' && part !== '.')) {
    folder = join(folder, name);
    try {
      mkdirSync(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function openChecked(hostPath: string, flags: number, workspace: string): number {
  const descriptor = openSync(hostPath, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const link = pathOfDescriptor(descriptor);
  if (link === null) return descriptor;
  const root = realpathSync(workspace);
  const actual = readlinkSync(link);
  if (actual === root || actual.startsWith(root + sep)) return descriptor;
  closeSync(descriptor);
  throw new ToolProblem('the path left the workspace while it was opened.');
}

/** A path that means the open file whatever happens to its name; null where the system has none. */
function pathOfDescriptor(descriptor: number): string | null {
  return process.platform === 'linux' ? `/proc/self/fd/${descriptor}` : null;
}

function refuseFrozen(path: string, relative: string, context: ToolContext): void {
  const frozen = (context.frozen ?? []).find((item) => relative === item || relative.startsWith(item + sep));
  if (frozen !== undefined)
    throw new ToolProblem(
      `${JSON.stringify(path)} may not be changed: ${JSON.stringify(frozen)} is protected in this workspace.`,
    );
}

function requireRegular(path: string, stat: Stats): void {
  if (!stat.isFile()) throw new ToolProblem(`${JSON.stringify(path)} is ${kindOf(stat)}, not a file.`);
}

/** What something is, for a sentence. */
export function kindOf(stat: Pick<Stats, 'isDirectory' | 'isFIFO' | 'isSocket' | 'isSymbolicLink' | 'isFile'>): string {
  if (stat.isDirectory()) return 'a folder';
  if (stat.isFIFO()) return 'a FIFO';
  if (stat.isSocket()) return 'a socket';
  if (stat.isSymbolicLink()) return 'a symbolic link';
  return stat.isFile() ? 'a file' : 'a device';
}
