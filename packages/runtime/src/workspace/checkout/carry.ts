/** Brings folders a project needs and git does not hold (`node_modules`), from a checkout or a parent's workspace. */
import type { Stats } from 'node:fs';
import { copyFile, lstat, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../../sandbox/temporary.ts';
import { git, joinNul, makeGitFolders, renderName, splitNul } from '../git/index.ts';
import type { CarriedFolder } from '../types.ts';
import { keyOf, parent } from './bytes.ts';
import { copyEntries, removeEntry } from './copy.ts';
import { type FoundEntry, readEntry, walkTree } from './walk.ts';

export interface CarrySource {
  readonly from: 'project' | 'parent';
  readonly path: string;
}

export interface CarryRequest {
  /** In order of preference; one that does not exist is passed over. */
  readonly sources: readonly CarrySource[];
  /** A workspace whose tracked files are in place; no process of its run is alive. */
  readonly target: string;
  readonly carry: readonly string[];
  readonly signal?: AbortSignal;
}

/**
 * Copies every folder named in `carry` that is ignored by the target's rules and not there yet. Links are never
 * followed and git runs on neither workspace's git directory.
 */
export async function carryFolders({ sources, target, carry, signal }: CarryRequest): Promise<CarriedFolder[]> {
  const carried: CarriedFolder[] = [];
  const taken = new Set<string>();
  for (const source of sources) {
    const named = await findNamed(source.path, carry);
    const absent = named.filter((folder) => !taken.has(keyOf(folder)) && hasPlace(target, folder));
    for (const folder of await selectIgnored(target, absent)) {
      const entries = await listEntries(source.path, folder);
      const result = await copyGroup({ from: source.path, to: target, folder, entries, source: source.from, signal });
      carried.push(result);
      if (result.how !== 'failed') taken.add(keyOf(folder));
    }
  }
  return carried;
}

export interface CopyGroup {
  readonly from: string;
  readonly to: string;
  readonly folder: Buffer;
  readonly entries: readonly FoundEntry[];
  readonly source: 'project' | 'parent';
  readonly signal: AbortSignal | undefined;
}

/** Copies one carried folder; one that cannot be copied is removed again and said to have failed. */
export async function copyGroup({ from, to, folder, entries, source, signal }: CopyGroup): Promise<CarriedFolder> {
  const path = renderName(folder);
  try {
    const more = signal === undefined ? {} : { signal };
    const { way, unreadable } = await copyEntries({ from, to, entries, existing: 'keep', ...more });
    const [first] = unreadable;
    if (first === undefined) return { path, from: source, how: way };
    const reason = `${unreadable.length} of its files could not be read, the first: ${renderName(first.path)}`;
    return { path, from: source, how: way, reason };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // Without space nothing else would fit either; without a code it is no matter of this folder.
    if (signal?.aborted || code === undefined || code === 'ENOSPC' || code === 'EDQUOT') throw error;
    for (const entry of entries) if (entry.kind !== 'folder') removeEntry(to, entry.path);
    return { path, from: source, how: 'failed', reason: (error as Error).message };
  }
}

async function findNamed(root: string, carry: readonly string[]): Promise<Buffer[]> {
  const found: Buffer[] = [];
  const enter = (folder: Buffer, _: Stats) => {
    const name = folder.subarray(folder.lastIndexOf(0x2f) + 1).toString();
    if (carry.includes(name)) found.push(folder);
    return name !== '.git' && !carry.includes(name);
  };
  for await (const _ of walkTree({ root, start: Buffer.alloc(0), enter }));
  return found;
}

/** Whether a folder is missing in the target while what is above it is a folder, or missing too. */
function hasPlace(target: string, folder: Buffer): boolean {
  if (readEntry(target, folder) !== null) return false;
  for (let above = parent(folder); above.length > 0; above = parent(above)) {
    const entry = readEntry(target, above);
    if (entry !== null && entry.kind !== 'folder') return false;
  }
  return true;
}

async function listEntries(root: string, start: Buffer): Promise<FoundEntry[]> {
  const entries: FoundEntry[] = [];
  for await (const entry of walkTree({ root, start, enter: () => true })) {
    if (entry.kind !== 'special' && entry.kind !== 'unreadable') entries.push(entry);
  }
  return entries;
}

/** Which of these folders the target's ignore rules match, asked through a scratch git directory of ours. */
async function selectIgnored(target: string, folders: readonly Buffer[]): Promise<Buffer[]> {
  if (folders.length === 0) return [];
  const scratch = makeTemporaryFolder('ignore');
  try {
    const gitDir = join(scratch, 'git');
    await makeGitFolders(gitDir);
    await writeFile(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n');
    await copyRules(join(target, '.git', 'info', 'exclude'), join(gitDir, 'info', 'exclude'));
    // Asked for something in the folder: a rule such as `vendor/` matches folders only, and this one is not there.
    // With `./` in front no name is taken for pathspec magic, which check-ignore refuses to be told by a variable.
    const names = folders.map((folder) => Buffer.concat([Buffer.from('./'), folder, Buffer.from('/probe')]));
    const { stdout } = await git({
      gitDir,
      workTree: target,
      args: ['check-ignore', '--no-index', '-z', '--stdin'],
      stdin: joinNul(names),
      env: { GIT_LITERAL_PATHSPECS: '0' },
      okExitCodes: [0, 1],
    });
    const ignored = new Set(splitNul(stdout).map(keyOf));
    return folders.filter((_, position) => ignored.has(keyOf(names[position] ?? Buffer.alloc(0))));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function copyRules(from: string, to: string): Promise<void> {
  // An agent could have put a link here.
  const stats = await lstat(from).catch(() => null);
  if (stats?.isFile()) await copyFile(from, to);
}
