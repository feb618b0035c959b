/** The agent's index as a checkpoint holds it, read as data: which paths were tracked, and which were absent on purpose. */
import { IndexDamaged, type IndexEntry, type ParsedIndex, parseIndex } from '../checkpoint/agent-git/index-file.ts';
import type { BytePath, CheckpointContents } from '../checkpoint/index.ts';
import { type ObjectFormat, readObjectFormat } from '../checkpoint/objects/format.ts';
import { readObjects } from '../checkpoint/objects/read.ts';
import type { Project } from '../types.ts';

export interface StoredIndex {
  readonly tracked: ReadonlySet<BytePath>;
  /** Links to other repositories (submodules): path to commit. */
  readonly links: ReadonlyMap<BytePath, string>;
  /** Whether git was told to leave a path out of the working tree (a sparse checkout). */
  isSkipped(path: BytePath): boolean;
}

const GITLINK = 0o160000;
const FOLDER = 0o040000;
const STAT_BYTES = 40;
const EXTENDED = 0x4000;
const SKIP_WORKTREE = 0x4000;

/** Reads the index of a checkpoint; null where there is none that can be read. */
export async function readStoredIndex(project: Project, contents: CheckpointContents): Promise<StoredIndex | null> {
  const format = await readObjectFormat(project.storeGit);
  const files = contents.entries.filter(({ path }) => /^\.git\/(?:index|sharedindex\.[0-9a-f]+)$/.test(path));
  const texts = await readObjects(project.storeGit, [...new Set(files.map((file) => file.oid))]);
  const read = (path: BytePath): ReadIndex | null => {
    const bytes = texts.get(files.find((file) => file.path === path)?.oid ?? '');
    return bytes === undefined ? null : { bytes, index: parseIndex(bytes, format) };
  };
  try {
    const main = read('.git/index');
    if (main === null) return null;
    const { link } = main.index;
    const shared = link === null || link.base === null ? null : read(`.git/sharedindex.${link.base}`);
    return describeIndex(main, shared, format);
  } catch (error) {
    if (error instanceof IndexDamaged) return null;
    throw error;
  }
}

interface ReadIndex {
  readonly bytes: Buffer;
  readonly index: ParsedIndex;
}

function describeIndex(main: ReadIndex, shared: ReadIndex | null, format: ObjectFormat): StoredIndex {
  const tracked = new Set<BytePath>();
  const links = new Map<BytePath, string>();
  const skipped = new Set<BytePath>();
  const skippedFolders: BytePath[] = [];
  const add = (entry: IndexEntry, path: BytePath, bytes: Buffer): void => {
    if (entry.mode === FOLDER) skippedFolders.push(path.endsWith('/') ? path : `${path}/`);
    else if (entry.mode === GITLINK && entry.stage === 0) links.set(path, entry.oid);
    else {
      tracked.add(path);
      if (isSkipWorktree(bytes, entry, format)) skipped.add(path);
    }
  };
  const replacing = main.index.entries.filter((entry) => entry.path === '').values();
  shared?.index.entries.forEach((entry, position) => {
    const by = main.index.link?.replaced.has(position) ? replacing.next().value : undefined;
    if (main.index.link?.deleted.has(position)) return;
    if (by === undefined) add(entry, entry.path, shared.bytes);
    else add(by, entry.path, main.bytes);
  });
  for (const entry of main.index.entries) if (entry.path !== '') add(entry, entry.path, main.bytes);
  const isSkipped = (path: BytePath) => skipped.has(path) || skippedFolders.some((folder) => path.startsWith(folder));
  return { tracked, links, isSkipped };
}

/** The flag lies in the extended flags, behind the entry's id. */
function isSkipWorktree(bytes: Buffer, entry: IndexEntry, format: ObjectFormat): boolean {
  const at = entry.offset + STAT_BYTES + format.rawLength;
  return (bytes.readUInt16BE(at) & EXTENDED) !== 0 && (bytes.readUInt16BE(at + 2) & SKIP_WORKTREE) !== 0;
}
