/** What a manifest says of a workspace's files: modes, empty folders, what was left out, settled index entries. */
import { lstatSync } from 'node:fs';
import type { IndexStat } from './agent-git/index-file.ts';
import { type BytePath, folderOf } from './folder/names.ts';
import type { WalkedEntry } from './folder/walk.ts';
import {
  findUsualModes,
  isProgram,
  LEFT_OUT_LIMIT,
  type Manifest,
  type SettledEntries,
  type UsualModes,
} from './manifest.ts';
import type { Snapshot, SnapshotRequest } from './snapshot.ts';

/** The part of a manifest that the files alone decide. */
export function describeFiles(
  snapshot: Snapshot,
  request: SnapshotRequest,
): Omit<Manifest, 'git' | 'commit' | 'missing'> {
  const { selection } = snapshot;
  const entries: WalkedEntry[] = [];
  let files = 0;
  let bytes = 0;
  for (const { entry } of snapshot.items) {
    if (entry === null) continue;
    entries.push(entry);
    if (entry.path.startsWith('.git/')) continue;
    files += 1;
    bytes += entry.size;
  }
  for (const folder of selection.folders) entries.push(folder);
  const modes = findUsualModes(entries);
  const rootMode = lstatSync(request.workspace.path).mode & 0o7777;
  const { sandbox, path } = request.workspace;
  return {
    format: 1,
    hasObjects: selection.hasObjects,
    head: Buffer.from(snapshot.head, 'latin1').toString(),
    operation: snapshot.operation,
    files,
    bytes,
    seenAt: sandbox.kind === 'none' ? path : null,
    modes,
    odd: [...(rootMode === modes.folder ? [] : [['', rootMode] as const]), ...listOddModes(entries, modes)],
    folders: listEmptyFolders(snapshot),
    leftOut: snapshot.leftOut.slice(0, LEFT_OUT_LIMIT),
    leftOutCount: snapshot.leftOut.length,
    settled: describeSettled(snapshot),
  };
}

function listOddModes(entries: readonly WalkedEntry[], modes: UsualModes): (readonly [BytePath, number])[] {
  const odd: (readonly [BytePath, number])[] = [];
  for (const entry of entries) {
    if (entry.kind === 'link') continue;
    const usual = entry.kind === 'folder' ? modes.folder : isProgram(entry.mode) ? modes.program : modes.file;
    const mode = keepableMode(entry);
    if (mode !== usual) odd.push([entry.path, mode]);
  }
  return odd;
}

/** Restored files belong to us: a setuid bit of a file that belongs to someone else must not come back as ours. */
function keepableMode(entry: WalkedEntry): number {
  const { mode } = entry;
  if (entry.kind === 'folder' || (mode & 0o6000) === 0) return mode;
  const kept = entry.uid === process.geteuid?.() ? mode : mode & ~0o4000;
  return entry.gid === process.getegid?.() ? kept : kept & ~0o2000;
}

function listEmptyFolders(snapshot: Snapshot): BytePath[] {
  const full = new Set<BytePath>();
  let last: BytePath = '';
  for (const { workspacePath } of snapshot.items) {
    const folder = folderOf(workspacePath);
    if (folder === last) continue;
    last = folder;
    for (let at = folder; at !== '' && !full.has(at); at = folderOf(at)) full.add(at);
  }
  return snapshot.selection.folders.map((folder) => folder.path).filter((path) => !full.has(path));
}

/** Which index entries git trusted without reading the file, as far as its stat fields show. */
function describeSettled(snapshot: Snapshot): SettledEntries {
  const index = snapshot.indexes.main;
  if (index === null || !index.whole) return { rule: 'none_except', except: [], young: [] };
  const indexSeconds = Math.floor(index.mtimeMs / 1000);
  const matching: BytePath[] = [];
  const others: BytePath[] = [];
  const young: BytePath[] = [];
  for (const { entry: file } of snapshot.items) {
    const known = file === null ? undefined : index.byPath.get(file.path);
    if (file === null || known === undefined || known.stage !== 0 || known.intentToAdd) continue;
    const { path, stat } = known;
    const matches = matchesStat(stat, file);
    (matches ? matching : others).push(path);
    if (matches && stat.mtimeSeconds >= indexSeconds) young.push(path);
  }
  const all = others.length <= matching.length;
  return { rule: all ? 'all_except' : 'none_except', except: (all ? others : matching).sort(), young: young.sort() };
}

/** git's own comparison, without owner and device. */
function matchesStat(stat: IndexStat, file: WalkedEntry): boolean {
  return (
    stat.mtimeSeconds === Math.floor(file.mtimeMs / 1000) &&
    stat.ctimeSeconds === Math.floor(file.ctimeMs / 1000) &&
    stat.size === file.size % 2 ** 32 &&
    stat.ino === file.ino % 2 ** 32
  );
}
