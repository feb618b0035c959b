/** An index as git lists it (`ls-files --stage -v -z`), to make an equal one elsewhere. */
import { type GitPlace, git, joinNul, splitNul } from '../git/index.ts';

export interface IndexEntry {
  readonly path: Buffer;
  readonly mode: string;
  readonly id: string;
  readonly stage: string;
  readonly assumeUnchanged: boolean;
  readonly skipWorktree: boolean;
}

/** Every entry of an index, in its order. */
export async function readIndexEntries(place: GitPlace): Promise<IndexEntry[]> {
  return parseIndexEntries(await listIndex(place));
}

/** The submodules an index names; as quick as git for an index without any. */
export async function readGitlinks(place: GitPlace): Promise<IndexEntry[]> {
  const listed = await listIndex(place);
  return listed.includes('160000 ') ? parseIndexEntries(listed).filter(({ mode }) => mode === '160000') : [];
}

async function listIndex(place: GitPlace): Promise<Buffer> {
  return (await git({ ...place, args: ['ls-files', '--stage', '-v', '-z'] })).stdout;
}

function parseIndexEntries(listed: Buffer): IndexEntry[] {
  return splitNul(listed).map((line) => {
    const tab = line.indexOf(0x09);
    const [tag = '', mode = '', id = '', stage = ''] = line.subarray(0, tab).toString('latin1').split(' ');
    return {
      path: line.subarray(tab + 1),
      mode,
      id,
      stage,
      assumeUnchanged: tag === tag.toLowerCase(),
      skipWorktree: tag.toUpperCase() === 'S',
    };
  });
}

/** Makes the index of a repository of ours hold these entries and flags, without stat data. */
export async function writeIndexEntries(place: GitPlace, entries: readonly IndexEntry[]): Promise<void> {
  const lines = entries.map(({ path, mode, id, stage }) =>
    Buffer.concat([Buffer.from(`${mode} ${id} ${stage}\t`, 'latin1'), path]),
  );
  await git({ ...place, args: ['update-index', '-z', '--index-info'], stdin: joinNul(lines) });
  const merged = entries.filter(({ stage }) => stage === '0');
  await setFlag(
    place,
    '--assume-unchanged',
    merged.filter((entry) => entry.assumeUnchanged),
  );
  await setFlag(
    place,
    '--skip-worktree',
    merged.filter((entry) => entry.skipWorktree),
  );
}

/** Sets a flag of index entries; also by the names `update-index` knows them. */
async function setFlag(place: GitPlace, flag: string, entries: readonly IndexEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const stdin = joinNul(entries.map(({ path }) => path));
  await git({ ...place, args: ['update-index', flag, '-z', '--stdin'], stdin });
}
