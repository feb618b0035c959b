/**
 * What a run takes on disk, and what removing it would free.
 *
 * 1. A file with links outside the runs counted is shared: removing those runs does not free it.
 * 2. Links are counted, never followed: a workspace may hold any.
 * 3. A measure (`sandbox/private/size.json`) is written only by the run's owner, and believed in lists alone: who removes
 *    counts.
 */
import {
  type Dirent,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { setImmediate as pause } from 'node:timers/promises';
import { codeOf, type RunPaths } from '../store/index.ts';

export interface Bytes {
  /** Freed by a removal. */
  readonly own: number;
  /** The rest: also held by other runs. */
  readonly shared: number;
}

/** A file with more than one name, as often as it was met. */
interface LinkedFile {
  readonly size: number;
  readonly links: number;
  readonly met: number;
}

/** Sizes of the files of a folder or of several; `joinTallies` sees which shared files they share only with each other. */
export interface Tally {
  readonly unlinked: number;
  readonly linked: ReadonlyMap<string, LinkedFile>;
}

export const NO_FILES: Tally = { unlinked: 0, linked: new Map() };

/** Counts all files below some folders, but for one; what is missing counts nothing. */
export function tallyFolders(folders: readonly string[], except?: string): Tally {
  const counting = countFolders(folders, except);
  for (;;) {
    const step = counting.next();
    if (step.done === true) return step.value;
  }
}

/** Entries that are counted before others may run. */
const BATCH = 256;

/** As `tallyFolders`; the event loop is never held for long. */
async function tallyInBatches(folders: readonly string[], except: string): Promise<Tally> {
  const counting = countFolders(folders, except);
  for (let seen = 1; ; seen += 1) {
    const step = counting.next();
    if (step.done === true) return step.value;
    if (seen % BATCH === 0) await pause();
  }
}

/** Counts one entry a step. */
function* countFolders(folders: readonly string[], except?: string): Generator<undefined, Tally> {
  let unlinked = 0;
  const linked = new Map<string, LinkedFile>();
  const pending = [...folders];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of listEntries(folder)) {
      yield;
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) pending.push(path);
      const stats = entry.isDirectory() || path === except ? undefined : statOf(path);
      if (stats === undefined) continue;
      if (stats.nlink <= 1) unlinked += stats.size;
      else addLink(linked, `${stats.dev}:${stats.ino}`, { size: stats.size, links: stats.nlink, met: 1 });
    }
  }
  return { unlinked, linked };
}

/** Two tallies as one. */
export function joinTallies(left: Tally, right: Tally): Tally {
  const linked = new Map(left.linked);
  for (const [key, file] of right.linked) addLink(linked, key, file);
  return { unlinked: left.unlinked + right.unlinked, linked };
}

/** What removing all that was counted would free, and what it would not. */
export function bytesOf(tally: Tally): Bytes {
  let own = tally.unlinked;
  let shared = 0;
  for (const { size, links, met } of tally.linked.values()) {
    if (met >= links) own += size;
    else shared += size;
  }
  return { own, shared };
}

/**
 * What a run takes: what removing it alone would free below `runs/`, and what other runs hold too. Of its workspace it is
 * what its last owner measured when a turn had ended, so that a list walks none; where nobody has, it is counted.
 */
export function bytesOfRun(paths: RunPaths): Bytes {
  const log = bytesOf(tallyFolders([paths.log, paths.blobs]));
  const rest = readMeasured(paths) ?? bytesOf(tallyFolders(workFoldersOf(paths)));
  const lock = statOf(paths.lock)?.size ?? 0;
  return { own: log.own + rest.own + lock, shared: log.shared + rest.shared };
}

/** Of a file with the measure: always this long, so that it can count itself. */
const MEASURE_BYTES = 64;

/** Measures workspace and sandbox folder of a run that is owned, for lists; a measure that cannot be kept is not missed. */
export async function measureRun(paths: RunPaths): Promise<void> {
  const place = measureOf(paths);
  try {
    const { own, shared } = bytesOf(await tallyInBatches(workFoldersOf(paths), place));
    const text = JSON.stringify({ own: own + MEASURE_BYTES, shared });
    writeFileSync(`${place}.new`, `${text.padEnd(MEASURE_BYTES - 1)}\n`, { mode: 0o600 });
    renameSync(`${place}.new`, place);
  } catch {
    // Derived, and counted when asked.
    rmSync(place, { force: true });
  }
}

/** `workspaces/` has the copies of a graph run's nodes that are not done. */
function workFoldersOf({ folder, workspace, sandbox }: RunPaths): readonly string[] {
  return [workspace, `${folder}/workspaces`, sandbox];
}

function measureOf({ sandbox }: RunPaths): string {
  return `${sandbox}/private/size.json`;
}

/** The last measure; null without one. */
function readMeasured(paths: RunPaths): Bytes | null {
  const place = measureOf(paths);
  if (!existsSync(place)) return null;
  try {
    const { own, shared } = JSON.parse(readFileSync(place, 'utf8')) as Partial<Bytes>;
    return isCount(own) && isCount(shared) ? { own, shared } : null;
  } catch {
    return null;
  }
}

function isCount(value: number | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function addLink(linked: Map<string, LinkedFile>, key: string, file: LinkedFile): void {
  linked.set(key, { ...file, met: file.met + (linked.get(key)?.met ?? 0) });
}

/** An agent's folders can be unreadable; they count nothing and their removal makes them readable first. */
function listEntries(folder: string): readonly Dirent[] {
  try {
    // Many runs lack some folder, and in a list of many an error each is dear.
    return existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  } catch (error) {
    if (['ENOENT', 'EACCES', 'ENOTDIR'].includes(codeOf(error))) return [];
    throw error;
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
