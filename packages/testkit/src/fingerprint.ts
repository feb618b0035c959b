/**
 * The fingerprint of a workspace: equal before a checkpoint and after its restore is what "restored" means.
 *
 * 1. Taken without writing: no index refresh, no hooks, no file system monitor.
 * 2. It shares no code with the checkpoint engine, but for starting processes.
 * 3. Below the workspace's own `.git` only what git commands say counts; a nested repository's `.git` counts byte for
 *    byte. Times, owners and hard links are no part of it.
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, lstatSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { runProcess } from '@ramet/runtime/process';

/** A workspace's state; plain data, to be compared as a whole. */
export interface Fingerprint {
  /** Every path (one character a byte): type, mode, and link text or SHA-256. */
  readonly paths: Readonly<Record<string, string>>;
  /** Output of each git command, one character a byte; `exit <code>` where it failed. */
  readonly git: Readonly<Record<string, string>>;
  readonly head: string | null;
  /** Files of operations in progress in the git directory. */
  readonly operations: readonly string[];
}

export interface FingerprintOptions {
  /** Folder names that are carried, hence left out. */
  readonly carried?: readonly string[];
  /** More git settings, to keep filters of a hostile repository from running. */
  readonly settings?: readonly (readonly [key: string, value: string])[];
}

const COMMANDS = {
  staged: ['ls-files', '-s', '-z'],
  flags: ['ls-files', '-v', '-z'],
  status: ['status', '--porcelain=v2', '-z', '--untracked-files=all'],
  refs: ['for-each-ref'],
} as const;

const OPERATION =
  /^(?:[A-Z_]*_HEAD|MERGE_[A-Z]+|BISECT_[A-Z_]+|AUTO_MERGE|SQUASH_MSG|(?:rebase-merge|rebase-apply|sequencer)\/.*)$/;

/** Takes the fingerprint of a workspace folder. */
export async function takeFingerprint(workspace: string, options: FingerprintOptions = {}): Promise<Fingerprint> {
  const paths: Record<string, string> = {};
  describeFolder({ root: workspace, carried: new Set(options.carried ?? []), into: paths }, '');
  const git: Record<string, string> = {};
  for (const [name, args] of Object.entries(COMMANDS)) git[name] = await askGit(workspace, args, options);
  return { paths, git, head: readHead(workspace), operations: listOperations(join(workspace, '.git'), '').sort() };
}

interface Listing {
  readonly root: string;
  readonly carried: ReadonlySet<string>;
  readonly into: Record<string, string>;
}

function describeFolder(listing: Listing, folder: string): void {
  const { root, carried, into } = listing;
  for (const name of readdirSync(locate(root, folder), { encoding: 'buffer' })) {
    const text = name.toString('latin1');
    const path = folder === '' ? text : `${folder}/${text}`;
    if (carried.has(text)) continue;
    const stats = lstatSync(locate(root, path));
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isSymbolicLink()) into[path] = `link ${readlinkSync(locate(root, path), 'buffer').toString('latin1')}`;
    else if (stats.isFile()) into[path] = `file ${mode} ${hashFile(locate(root, path))}`;
    else if (!stats.isDirectory()) into[path] = `special ${mode}`;
    else {
      into[path] = `folder ${mode}`;
      if (path !== '.git') describeFolder(listing, path);
    }
  }
}

function locate(root: string, path: string): Buffer {
  return path === '' ? Buffer.from(root) : Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
}

function hashFile(path: Buffer): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  const digest = createHash('sha256');
  const chunk = Buffer.alloc(1024 * 1024);
  for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) digest.update(chunk.subarray(0, read));
  closeSync(file);
  return digest.digest('hex');
}

async function askGit(workspace: string, args: readonly string[], options: FingerprintOptions): Promise<string> {
  const settings = [['core.hooksPath', '/dev/null'], ['core.fsmonitor', 'false'], ...(options.settings ?? [])];
  const outcome = await runProcess({
    argv: ['git', ...settings.flatMap(([key, value]) => ['-c', `${key}=${value}`]), ...args],
    cwd: workspace,
    env: {
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      HOME: '/nonexistent',
      LC_ALL: 'C',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_CEILING_DIRECTORIES: join(workspace, '..'),
    },
    stdout: { kind: 'collect', limitBytes: 256 * 1024 * 1024 },
    stderrLimitBytes: 4096,
  });
  return outcome.exitCode === 0 ? outcome.stdout.toString('latin1') : `exit ${outcome.exitCode}`;
}

function readHead(workspace: string): string | null {
  const path = join(workspace, '.git', 'HEAD');
  if (!lstatSync(join(workspace, '.git'), { throwIfNoEntry: false })?.isDirectory()) return null;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (stats.isSymbolicLink()) return `link ${readlinkSync(path)}`;
  const file = openSync(path, 'r');
  const chunk = Buffer.alloc(4096);
  const text = chunk.subarray(0, readSync(file, chunk)).toString();
  closeSync(file);
  return text;
}

function listOperations(gitFolder: string, folder: string): string[] {
  const names: string[] = [];
  const below = join(gitFolder, folder);
  if (!lstatSync(below, { throwIfNoEntry: false })?.isDirectory()) return [];
  for (const entry of readdirSync(below, { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory() && /^(?:rebase-merge|rebase-apply|sequencer)/.test(path)) {
      names.push(...listOperations(gitFolder, path));
    } else if (OPERATION.test(path)) names.push(path);
  }
  return names;
}
