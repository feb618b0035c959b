/** Lists one folder of a checkpoint, without a working tree. */
import { isUtf8 } from 'node:buffer';
import { isRefusal, type Refusal, refuse } from '@ramet/core/codes';
import { isGitName, joinPath } from '../checkpoint/folder/names.ts';
import { type BytePath, renderBytePath } from '../checkpoint/index.ts';
import { type Manifest, makeModes } from '../checkpoint/manifest.ts';
import { readObjects } from '../checkpoint/objects/read.ts';
import { readCheckpointHead } from '../checkpoint/read.ts';
import { parseTreePath } from './paths.ts';
import { findEntry, isFolder, listTree, type TreeEntry } from './tree.ts';
import type { StoredCheckpoint } from './turn-checkpoint.ts';

/** One entry of a folder. */
export interface FolderEntry {
  readonly name: BytePath;
  /** The name as text: bytes that are not UTF-8 and control characters as `\xNN`. */
  readonly shown: string;
  readonly utf8: boolean;
  readonly kind: 'file' | 'folder' | 'link';
  /** Permission bits (07777). */
  readonly mode: number;
  /** Of a file or of a link's text; null for a folder. */
  readonly bytes: number | null;
  /** What a link says, as text; it is shown and never followed. */
  readonly target?: string;
}

export interface FolderListing {
  /** By the bytes of their names. Git's own folders are not among them. */
  readonly entries: readonly FolderEntry[];
  /** How many there are; more than `entries` where that was cut off. */
  readonly count: number;
}

/** Most entries of a listing. */
const ENTRY_LIMIT = 10_000;
/** A longer text is no path that a system would follow. */
const TARGET_BYTES = 4096;

/**
 * Lists a folder of a checkpoint's working tree, by its path from the root (`''`); null when it holds nothing there.
 * Refuses with `bad_input`; throws `checkpoint_missing` when the store does not have the checkpoint.
 */
export async function listCheckpointFolder(
  { project, checkpoint }: StoredCheckpoint,
  path: string | Uint8Array,
): Promise<FolderListing | Refusal | null> {
  const names = parseTreePath(path);
  if (isRefusal(names)) return names;
  const { manifest, trees } = await readCheckpointHead(project, checkpoint);
  const folder = names.join('/');
  const empty = listEmptyFolders(manifest, folder);
  const root = trees.get('files');
  const found = root === undefined ? null : await findEntry(project.storeGit, root, names);
  if (found === null && !empty.isThere) return null;
  if (found !== null && !isFolder(found)) {
    return refuse('bad_input', `${renderBytePath(folder)} is no folder`, { path: renderBytePath(folder) });
  }
  const captured = found === null ? [] : await listTree(project.storeGit, found.oid);
  const known = new Set(captured.map(({ name }) => name));
  const entries = [...captured, ...empty.entries.filter(({ name }) => !known.has(name))];
  const shown = entries.sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, ENTRY_LIMIT);
  const targets = await readTargets(project.storeGit, shown);
  const modeOf = makeModes(manifest);
  return {
    entries: shown.map((entry) => describeEntry(entry, modeOf(nameInCheckpoint(folder, entry)), targets)),
    count: entries.length,
  };
}

/** Folders that a tree cannot hold, and those around them: the manifest names them. */
function listEmptyFolders(
  { folders }: Manifest,
  folder: BytePath,
): { readonly isThere: boolean; readonly entries: readonly TreeEntry[] } {
  const prefix = folder === '' ? '' : `${folder}/`;
  const shown = folders.filter((path) => !path.split('/').some(isGitName));
  const below = shown.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
  const names = new Set(below.map((path) => path.split('/')[0] ?? ''));
  return {
    isThere: shown.includes(folder) || below.length > 0,
    entries: [...names].map((name) => ({ name, mode: '040000', oid: '', bytes: null })),
  };
}

function nameInCheckpoint(folder: BytePath, { name, mode }: TreeEntry): { path: BytePath; mode: string } {
  return { path: joinPath(folder, name), mode: mode.replace(/^0/, '') };
}

async function readTargets(gitDir: string, entries: readonly TreeEntry[]): Promise<ReadonlyMap<string, Buffer>> {
  const links = entries.filter(({ mode, bytes }) => mode === '120000' && (bytes ?? 0) <= TARGET_BYTES);
  return readObjects(gitDir, [...new Set(links.map(({ oid }) => oid))]);
}

function describeEntry(entry: TreeEntry, mode: number, targets: ReadonlyMap<string, Buffer>): FolderEntry {
  const { name, oid, bytes } = entry;
  const kind = isFolder(entry) ? 'folder' : entry.mode === '120000' ? 'link' : 'file';
  const target = kind === 'link' ? targets.get(oid) : undefined;
  return {
    name,
    shown: renderBytePath(name),
    utf8: isUtf8(Buffer.from(name, 'latin1')),
    kind,
    mode: kind === 'link' ? 0o777 : mode,
    bytes,
    ...(target === undefined ? {} : { target: renderBytePath(target.toString('latin1')) }),
  };
}
