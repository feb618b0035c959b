/** The files and links of a snapshot with the ids of their contents; only what may have changed is read. */
import type { AgentIndex, AgentIndexes } from './agent-git/indexes.ts';
import { readChunks, readLink, readWhole } from './folder/content.ts';
import { type BytePath, folderOf, treePathOf } from './folder/names.ts';
import type { SelectedFile, Selection } from './folder/selection.ts';
import { type CachedFile, cachedOid, type StatCache } from './folder/stat-cache.ts';
import type { WalkedEntry } from './folder/walk.ts';
import { isProgram } from './manifest.ts';
import { hashObject, type ObjectFormat, startObjectHash, type TreeFile } from './objects/format.ts';
import type { ObjectSource } from './objects/pack.ts';

export interface SnapshotItem extends TreeFile {
  /** Null for a file git's own bytes were replaced in (an index). */
  readonly entry: WalkedEntry | null;
  readonly workspacePath: BytePath;
  readonly pathClass: CachedFile['pathClass'];
  readonly source: ObjectSource;
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
    const source: ObjectSource = { kind: 'bytes', bytes };
    const path = treePathOf(workspacePath);
    items.push({ path, workspacePath, mode: '100644', oid, entry: null, pathClass: 'tracked', source });
  }
  const replaced = new Set(indexes.all.flatMap((index) => listReplacedFiles(index, selection)));
  const room = { bytes: KEPT_BYTES };
  for (const file of selection.files) {
    if (!replaced.has(file.entry.path)) items.push(await hashItem(request, file, room));
  }
  return items;
}

/** An index is stored as its normalised bytes, and a shared index only under the name its new bytes give it. */
function listReplacedFiles(index: AgentIndex, selection: Selection): BytePath[] {
  const shared = `${folderOf(index.path)}/sharedindex.`;
  return selection.files
    .map((file) => file.entry.path)
    .filter((path) => path === index.path || path.startsWith(shared));
}

async function hashItem(
  request: ItemsRequest,
  { entry, pathClass }: SelectedFile,
  room: { bytes: number },
): Promise<SnapshotItem> {
  const known = cachedOid(request.cache, entry);
  const { oid, source } =
    known === null
      ? await hashContent(request, entry, room)
      : { oid: known, source: describeSource(request.root, entry) };
  const mode = entry.kind === 'link' ? '120000' : isProgram(entry.mode) ? '100755' : '100644';
  return { path: treePathOf(entry.path), workspacePath: entry.path, mode, oid, entry, pathClass, source };
}

function describeSource(root: string, entry: WalkedEntry): ObjectSource {
  return { kind: entry.kind === 'link' ? 'link' : 'file', root, entry };
}

async function hashContent(
  { root, format }: ItemsRequest,
  entry: WalkedEntry,
  room: { bytes: number },
): Promise<{ oid: string; source: ObjectSource }> {
  if (entry.kind === 'link' || entry.size <= WHOLE_BYTES) {
    const bytes = entry.kind === 'link' ? readLink(root, entry) : readWhole(root, entry);
    const oid = hashObject(format, 'blob', bytes);
    if (bytes.length > room.bytes) return { oid, source: describeSource(root, entry) };
    room.bytes -= bytes.length;
    return { oid, source: { kind: 'bytes', bytes } };
  }
  const digest = startObjectHash(format, 'blob', entry.size);
  for (const chunk of readChunks(root, entry)) {
    digest.update(chunk);
    await new Promise(setImmediate);
  }
  return { oid: digest.digest('hex'), source: describeSource(root, entry) };
}
