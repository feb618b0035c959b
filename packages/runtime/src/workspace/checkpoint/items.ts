/** The files and links of a snapshot with the ids of their contents; only what may have changed is read. */
import { invariant } from '@ramet/core/codes';
import type { AgentIndex, AgentIndexes } from './agent-git/indexes.ts';
import { readChunks, readLink, readWhole } from './folder/content.ts';
import { type BytePath, folderOf, treePathOf } from './folder/names.ts';
import type { SelectedFile, Selection } from './folder/selection.ts';
import { cachedOid, type PathClass, type StatCache } from './folder/stat-cache.ts';
import type { WalkedEntry } from './folder/walk.ts';
import { isProgram } from './manifest.ts';
import { hashObject, type ObjectFormat, startObjectHash, type TreeFile } from './objects/format.ts';
import type { ObjectSource } from './objects/pack.ts';

export interface SnapshotItem extends TreeFile {
  /** Null for a file git's own bytes were replaced in (an index). */
  readonly entry: WalkedEntry | null;
  readonly workspacePath: BytePath;
  readonly pathClass: PathClass;
  /** The content, where it was read and is small; else it is read again when it is packed. */
  readonly bytes: Uint8Array | null;
  /** The last capture saw this very content. */
  readonly unchanged: boolean;
}

export interface ItemsRequest {
  readonly root: string;
  readonly format: ObjectFormat;
  readonly selection: Selection;
  readonly indexes: AgentIndexes;
  readonly cache: StatCache | null;
}

const WHOLE_BYTES = 1024 * 1024;
/** Contents kept in memory between hashing and packing. */
const KEPT_BYTES = 64 * 1024 * 1024;

/** Names the content of every selected file, and of the indexes as they are stored. */
export async function hashItems(request: ItemsRequest): Promise<SnapshotItem[]> {
  const { indexes, selection, format } = request;
  const items: SnapshotItem[] = [];
  for (const [workspacePath, bytes] of indexes.all.flatMap((index) => [...index.files])) {
    const oid = hashObject(format, 'blob', bytes);
    const path = treePathOf(workspacePath);
    const pathClass = 'tracked';
    items.push({ path, workspacePath, mode: '100644', oid, entry: null, pathClass, bytes, unchanged: false });
  }
  const replaced = new Set(indexes.all.flatMap((index) => listReplacedFiles(index, selection)));
  const room = { bytes: KEPT_BYTES };
  for (const file of selection.files) {
    if (replaced.has(file.entry.path)) continue;
    // Only content that is read is waited for: most files are not.
    items.push(takeKnown(request, file) ?? (await hashItem(request, file, room)));
  }
  return items;
}

/** An index is stored as its normalised bytes, and a shared index only under the name its new bytes give it. */
function listReplacedFiles(index: AgentIndex, selection: Selection): BytePath[] {
  const shared = `${folderOf(index.path)}/sharedindex.`;
  const replaced: BytePath[] = [];
  for (const { entry } of selection.files) {
    if (entry.path === index.path || entry.path.startsWith(shared)) replaced.push(entry.path);
  }
  return replaced;
}

function takeKnown({ cache }: ItemsRequest, { entry, pathClass }: SelectedFile): SnapshotItem | null {
  const oid = cachedOid(cache, entry);
  if (oid === null) return null;
  const path = treePathOf(entry.path);
  const mode = treeModeOf(entry);
  return { path, mode, oid, entry, workspacePath: entry.path, pathClass, bytes: null, unchanged: true };
}

function treeModeOf(entry: WalkedEntry): SnapshotItem['mode'] {
  return entry.kind === 'link' ? '120000' : isProgram(entry.mode) ? '100755' : '100644';
}

async function hashItem(
  request: ItemsRequest,
  { entry, pathClass }: SelectedFile,
  room: { bytes: number },
): Promise<SnapshotItem> {
  const path = treePathOf(entry.path);
  const mode = treeModeOf(entry);
  const { oid, bytes } = await hashContent(request, entry, room);
  return { path, mode, oid, entry, workspacePath: entry.path, pathClass, bytes, unchanged: false };
}

async function hashContent(
  { root, format }: ItemsRequest,
  entry: WalkedEntry,
  room: { bytes: number },
): Promise<{ oid: string; bytes: Uint8Array | null }> {
  if (entry.kind === 'link' || entry.size <= WHOLE_BYTES) {
    const bytes = entry.kind === 'link' ? readLink(root, entry) : readWhole(root, entry);
    const oid = hashObject(format, 'blob', bytes);
    if (bytes.length > room.bytes) return { oid, bytes: null };
    room.bytes -= bytes.length;
    return { oid, bytes };
  }
  const digest = startObjectHash(format, 'blob', entry.size);
  for (const chunk of readChunks(root, entry)) {
    digest.update(chunk);
    await new Promise(setImmediate);
  }
  return { oid: digest.digest('hex'), bytes: null };
}

/** Where the content of an item can be read. */
export function locateContent(root: string, item: SnapshotItem): ObjectSource {
  if (item.bytes !== null) return { kind: 'bytes', bytes: item.bytes };
  invariant(item.entry !== null, 'an item without bytes has a file');
  return { kind: item.entry.kind === 'link' ? 'link' : 'file', root, entry: item.entry };
}
