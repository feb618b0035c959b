/** What a manifest says of a workspace's files: modes, empty folders, what was left out, settled index entries. */
import { lstatSync } from 'node:fs';
import { type IndexStat, readEntryState } from './agent-git/index-file.ts';
import {
  CTIME,
  type FileTable,
  INO,
  isProgram,
  listRowPaths,
  MTIME,
  SIZE,
  STATS,
  sizeOf,
} from './folder/file-table.ts';
import { type BytePath, folderOf, isOwnGitFolder, joinPath } from './folder/names.ts';
import { kindOf } from './folder/walk.ts';
import { LEFT_OUT_LIMIT, type Manifest, ModeCounts, type SettledEntries, type UsualModes } from './manifest.ts';
import type { Snapshot, SnapshotRequest } from './snapshot.ts';

/** The part of a manifest that the files alone decide. */
export function describeFiles(
  snapshot: Snapshot,
  request: SnapshotRequest,
): Omit<Manifest, 'git' | 'commit' | 'missing'> {
  const { selection } = snapshot;
  const { files, bytes } = countFiles(snapshot.files);
  const modes = findUsualModes(snapshot);
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
    odd: [...(rootMode === modes.folder ? [] : [['', rootMode] as const]), ...listOddModes(snapshot, modes)],
    folders: listEmptyFolders(snapshot),
    leftOut: snapshot.leftOut.slice(0, LEFT_OUT_LIMIT),
    leftOutCount: snapshot.leftOut.length,
    settled: describeSettled(snapshot),
  };
}

/** Files of the working tree. */
function countFiles(table: FileTable): { files: number; bytes: number } {
  let files = 0;
  let bytes = 0;
  for (const { path, from, to } of table.folders) {
    if (isOwnGitFolder(path)) continue;
    files += to - from;
    for (let row = from; row < to; row += 1) bytes += sizeOf(table, row);
  }
  return { files, bytes };
}

function findUsualModes({ files, selection }: Snapshot): UsualModes {
  const counts = new ModeCounts();
  for (let row = 0; row < files.names.length; row += 1) {
    const mode = files.modes[row] ?? 0;
    if (kindOf(mode) !== 'link') counts.add('file', mode & 0o7777);
  }
  for (const { mode } of selection.folders) counts.add('folder', mode);
  return counts.findUsual();
}

function listOddModes({ files, selection }: Snapshot, modes: UsualModes): (readonly [BytePath, number])[] {
  const odd: (readonly [BytePath, number])[] = [];
  for (const { path: folder, from, to } of files.folders) {
    for (let row = from; row < to; row += 1) {
      const mode = files.modes[row] ?? 0;
      if (kindOf(mode) === 'link') continue;
      const usual = isProgram(mode) ? modes.program : modes.file;
      if ((mode & 0o7777) !== usual) odd.push([joinPath(folder, files.names[row] ?? ''), mode & 0o7777]);
    }
  }
  for (const { path, mode } of selection.folders) if (mode !== modes.folder) odd.push([path, mode]);
  return odd;
}

function listEmptyFolders({ files, replaced, selection }: Snapshot): BytePath[] {
  const full = new Set<BytePath>();
  const holding = files.folders.filter(({ from, to }) => to > from).map(({ path }) => path);
  for (const folder of [...holding, ...replaced.map(({ workspacePath }) => folderOf(workspacePath))]) {
    for (let at = folder; at !== '' && !full.has(at); at = folderOf(at)) full.add(at);
  }
  return selection.folders.map((folder) => folder.path).filter((path) => !full.has(path));
}

/** Which index entries git trusted without reading the file, as far as its stat fields show. */
function describeSettled({ files, indexes, format }: Snapshot): SettledEntries {
  const index = indexes.main;
  if (index === null || !index.whole) return { rule: 'none_except', except: [], young: [] };
  const indexSeconds = Math.floor(index.mtimeMs / 1000);
  const matching: number[] = [];
  const others: number[] = [];
  const young: number[] = [];
  for (let row = 0; row < files.entries.length; row += 1) {
    const entry = files.entries[row] ?? 0;
    if (entry === 0) continue;
    const { stage, intentToAdd, stat } = readEntryState(index.bytes, entry, format);
    if (stage !== 0 || intentToAdd) continue;
    const matches = matchesStat(stat, files, row);
    (matches ? matching : others).push(row);
    if (matches && stat.mtimeSeconds >= indexSeconds) young.push(row);
  }
  const all = others.length <= matching.length;
  const except = listRowPaths(files, all ? others : matching).sort();
  return { rule: all ? 'all_except' : 'none_except', except, young: listRowPaths(files, young).sort() };
}

/** git's own comparison, without owner and device. */
function matchesStat(stat: IndexStat, { stats }: FileTable, row: number): boolean {
  const at = row * STATS;
  return (
    stat.mtimeSeconds === Math.floor((stats[at + MTIME] ?? 0) / 1000) &&
    stat.ctimeSeconds === Math.floor((stats[at + CTIME] ?? 0) / 1000) &&
    stat.size === (stats[at + SIZE] ?? 0) % 2 ** 32 &&
    stat.ino === (stats[at + INO] ?? 0) % 2 ** 32
  );
}
