/**
 * The system prompt: constant words and the project's own instructions.
 *
 * 1. It holds no id, no time and no host path: a child's first request must equal what its parent's next would have been.
 * 2. Instructions are read from the workspace, so a restored turn is told what it was told then; links are not followed.
 * 3. A file that cannot be read is no file: what an agent did to a mode must not keep the next turn from opening.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, sha256 } from '../store/index.ts';

/** Longer instruction files are cut, and say so. */
const LIMIT_BYTES = 64 * 1024;

export interface Instructions {
  readonly system: string;
  readonly files: readonly { readonly path: string; readonly digest: string }[];
}

const PREAMBLE = [
  'You are a coding agent. You work on the project in your current directory with the tools you are given: read before',
  'you change, make the smallest change that does the whole job, and run what proves it. Paths are relative to your',
  'current directory. The files are your own copy: nothing you do to them reaches the person until they take it over.',
  'A tool call that is denied was denied by the person or their rules: do not try to get around it. What you leave',
  'running ends with the call; /tmp does not outlive the turn. When you are done, say in a few lines what you changed',
  'and what you checked.',
].join(' ');

/** Reads the instructions that hold in `cwd` (relative to the workspace) and renders the system prompt. */
export function readInstructions(workspace: string, cwd: string): Instructions {
  const files = foldersTo(cwd).flatMap((folder) => readFirst(workspace, folder));
  const sections = files.map(({ path, text }) => `# Instructions of this project (${path})\n\n${text}`);
  return {
    system: [PREAMBLE, ...sections].join('\n\n'),
    files: files.map(({ path, digest }) => ({ path, digest })),
  };
}

/** '' and every folder on the way to `cwd`. */
function foldersTo(cwd: string): readonly string[] {
  const names = cwd === '' ? [] : cwd.split('/');
  return ['', ...names.map((_, index) => names.slice(0, index + 1).join('/'))];
}

interface InstructionFile {
  readonly path: string;
  readonly text: string;
  readonly digest: string;
}

/** AGENTS.md, or CLAUDE.md where there is none. */
function readFirst(workspace: string, folder: string): readonly InstructionFile[] {
  for (const name of ['AGENTS.md', 'CLAUDE.md']) {
    const path = folder === '' ? name : `${folder}/${name}`;
    const bytes = readWhereAllowed(workspace, path);
    if (bytes === null) continue;
    const cut = bytes.length > LIMIT_BYTES ? `\n[cut after ${LIMIT_BYTES} bytes]` : '';
    const text = `${bytes.subarray(0, LIMIT_BYTES).toString('utf8').toWellFormed()}${cut}`;
    return [{ path, text, digest: sha256(bytes) }];
  }
  return [];
}

const CLOSED = new Set(['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'ENAMETOOLONG']);

function readWhereAllowed(workspace: string, path: string): Buffer | null {
  try {
    return readPlainFile(workspace, path);
  } catch (error) {
    if (CLOSED.has(codeOf(error))) return null;
    throw error;
  }
}

/** A regular file that no link leads to; at most one byte more than the limit is read. */
function readPlainFile(workspace: string, path: string): Buffer | null {
  const folders = path.split('/').slice(0, -1);
  let at = workspace;
  for (const folder of folders) {
    at = join(at, folder);
    if (!lstatSync(at, { throwIfNoEntry: false })?.isDirectory()) return null;
  }
  const full = join(workspace, path);
  if (!lstatSync(full, { throwIfNoEntry: false })?.isFile()) return null;
  const fd = openSync(full, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const buffer = Buffer.alloc(Math.min(fstatSync(fd).size, LIMIT_BYTES + 1));
    return buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, 0));
  } finally {
    closeSync(fd);
  }
}
