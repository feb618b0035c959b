/**
 * Brings the person's index and their changed and untracked files into a checkout, as they are.
 *
 * Files the person has not touched are checked out from their index, so that one behind a filter (LFS) is the same
 * pointer file it would be in a clean checkout; only what differs is copied byte for byte. Empty folders, FIFOs and
 * sockets, which git does not see, stay behind.
 */
import { type GitPlace, git, splitLines, startGit } from '../git/index.ts';
import { keyOf } from './bytes.ts';
import { copyEntries, removeEntry } from './copy.ts';
import { type IndexEntry, readIndexEntries, writeIndexEntries } from './index-entries.ts';
import type { PersonStatus } from './status.ts';
import { type FoundEntry, readEntry } from './walk.ts';

export interface DirtySource {
  /** The person's repository: where index-only content is. */
  readonly gitDir: string;
  readonly baseGit: string;
  readonly checkout: string;
  readonly shadow: GitPlace;
  readonly status: PersonStatus;
  readonly untracked: readonly FoundEntry[];
}

/**
 * Makes index and files of `target` (a repository of ours with an empty index and no files) those of the person.
 * Returns what could not be read.
 */
export async function bringDirty(
  target: GitPlace & { gitDir: string; workTree: string },
  source: DirtySource,
): Promise<readonly FoundEntry[]> {
  const intended = new Set(source.status.intentToAdd.map(keyOf));
  const entries = (await readIndexEntries(source.shadow)).filter(({ path }) => !intended.has(keyOf(path)));
  await bringBlobs(target.gitDir, source, entries);
  await writeIndexEntries(target, entries);
  await git({ ...target, args: ['checkout-index', '--all', '--force', '--index', '-q'] });
  const hidden = entries.filter((entry) => entry.assumeUnchanged || entry.skipWorktree);
  const unreadable = await copyChanged(target.workTree, source, hidden);
  await intendToAdd(target, source.status.intentToAdd);
  return unreadable;
}

/** Content only the index names becomes the checkout's own objects: `base.git` holds the person's commits and no more. */
async function bringBlobs(gitDir: string, source: DirtySource, entries: readonly IndexEntry[]): Promise<void> {
  const named = new Set(entries.filter(({ mode }) => mode !== '160000').map(({ id }) => id));
  const absent = await selectObjects(source.baseGit, [...named], (line) => line.endsWith(' missing'));
  const present = await selectObjects(source.gitDir, absent, (line) => !line.endsWith(' missing'));
  if (present.length === 0) return;
  const pack = await startGit({ gitDir: source.gitDir, args: ['pack-objects', '--stdout', '-q'] });
  pack.process.stdin.end(`${present.join('\n')}\n`);
  const [packed, indexed] = await Promise.allSettled([
    pack.ended,
    git({ gitDir, args: ['index-pack', '--stdin'], stdin: pack.process.stdout }),
  ]);
  if (indexed.status === 'rejected') throw packed.status === 'rejected' ? packed.reason : indexed.reason;
  if (packed.status === 'rejected') throw packed.reason;
}

async function selectObjects(
  gitDir: string,
  ids: readonly string[],
  keep: (line: string) => boolean,
): Promise<string[]> {
  if (ids.length === 0) return [];
  const { stdout } = await git({ gitDir, args: ['cat-file', '--batch-check'], stdin: `${ids.join('\n')}\n` });
  return splitLines(stdout)
    .filter(keep)
    .map((line) => line.slice(0, line.indexOf(' ')));
}

/** `hidden`: entries whose flags keep git from looking at the file; it may differ all the same. */
async function copyChanged(to: string, source: DirtySource, hidden: readonly IndexEntry[]): Promise<FoundEntry[]> {
  const { checkout, status, untracked } = source;
  const changed: FoundEntry[] = [];
  for (const path of [...status.unstaged, ...hidden.map((entry) => entry.path)]) {
    const entry = readEntry(checkout, path);
    // A folder in a file's place holds untracked files, which come below; a submodule is made by itself.
    if (entry === null || entry.kind === 'special') removeEntry(to, path);
    else if (entry.kind !== 'folder') changed.push(entry);
  }
  const copied = [
    await copyEntries({ from: checkout, to, entries: changed, existing: 'replace' }),
    await copyEntries({ from: checkout, to, entries: untracked, existing: 'replace' }),
  ];
  return copied.flatMap(({ unreadable }) => unreadable);
}

async function intendToAdd(target: GitPlace & { workTree: string }, paths: readonly Buffer[]): Promise<void> {
  // git refuses to intend to add what is not there.
  const present = paths.filter((path) => readEntry(target.workTree, path) !== null);
  if (present.length === 0) return;
  const stdin = Buffer.concat(present.flatMap((path) => [path, Buffer.from([0])]));
  await git({
    ...target,
    args: ['add', '--intent-to-add', '--force', '--pathspec-from-file=-', '--pathspec-file-nul'],
    stdin,
  });
}
