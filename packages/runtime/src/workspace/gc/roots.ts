/**
 * What a project's runs need: every checkpoint their logs name, staged runs' too.
 *
 * 1. A log that cannot be read to its end is no empty list: nothing is collected then.
 * 2. A run that is staged, committed, forked or removed meanwhile is not missed: the runs are listed again until the
 *    list has no log that was not read. New checkpoints cannot be named meanwhile: that takes the project's lock.
 * 3. Half an event at a log's end may still be kept by the run's next owner: what it may name counts.
 */
import { closeSync, lstatSync, openSync, readSync } from 'node:fs';
import { type Code, Failure, parseRunId, type Refusal, type RunId, refuse, SCHEMA } from '@ramet/core';
import { listNames } from '../../store/durable.ts';
import { type RunPaths, runPathsOf, type StateLayout } from '../../store/layout.ts';
import { type FolderOutline, readFolderOutline } from '../../store/log-folder.ts';

export interface Roots {
  /** Checkpoints that complete events name. */
  readonly checkpoints: ReadonlySet<string>;
  /** Ids in what a crash left at a log's end: they count where the store has them. */
  readonly possible: ReadonlySet<string>;
  /** The project's runs. */
  readonly runs: ReadonlySet<RunId>;
  /** Runs being built of which nothing says yet to which project they belong. */
  readonly unknown: number;
}

interface Draft {
  readonly checkpoints: Set<string>;
  readonly possible: Set<string>;
  readonly runs: Set<RunId>;
  unknown: number;
}

/** Reads the roots of a project, or says which log keeps them from being known. */
export function readRoots(layout: StateLayout, project: string): Roots | Refusal {
  const draft: Draft = { checkpoints: new Set(), possible: new Set(), runs: new Set(), unknown: 0 };
  const read = new Set<string>();
  for (;;) {
    const unread = listRuns(layout).filter(({ paths }) => !read.has(paths.folder));
    if (unread.length === 0) return draft;
    for (const run of unread) {
      const refusal = readRun(draft, run, project);
      // It moved or was removed while it was read: the next round finds it where it is now.
      if (lstatSync(run.paths.folder, { throwIfNoEntry: false }) === undefined) continue;
      if (refusal !== null) return refusal;
      read.add(run.paths.folder);
    }
  }
}

interface ListedRun {
  readonly id: RunId;
  readonly paths: RunPaths;
  readonly staged: boolean;
}

/** Staged runs first: a run goes from staging into `runs/`, never back. */
function listRuns(layout: StateLayout): ListedRun[] {
  return [layout.staging, layout.runs].flatMap((parent) =>
    listNames(parent).flatMap((name) => {
      const id = parseRunId(name);
      return id === null ? [] : [{ id, paths: runPathsOf(parent, id), staged: parent === layout.staging }];
    }),
  );
}

function readRun(draft: Draft, run: ListedRun, project: string): Refusal | null {
  try {
    const outline = readFolderOutline(run.paths.log);
    const of = outline.heads[0]?.start?.project;
    // A run being built has no event yet; everything else that names no project may be one of ours.
    if (of === undefined && run.staged && outline.heads.length === 0) {
      draft.unknown += 1;
      return null;
    }
    if (of !== undefined && of !== project) return null;
    const refusal = refuseUnreadable(run.id, outline);
    if (refusal !== null) return refusal;
    draft.runs.add(run.id);
    addCheckpoints(draft, outline);
    return null;
  } catch (error) {
    const why = error instanceof Failure ? error.message : String((error as Error).message);
    return refuseLog(run.id, 'log_damaged', `cannot be read: ${why}`);
  }
}

function refuseUnreadable(id: RunId, outline: FolderOutline): Refusal | null {
  const { damage, heads } = outline;
  if (damage !== null) {
    const found = `expected ${damage.expected}, found ${damage.found}`;
    return refuseLog(id, 'log_damaged', `is damaged in ${damage.segment}, line ${damage.line}: ${found}`);
  }
  if (heads.some((head) => head.schema > SCHEMA)) {
    return refuseLog(id, 'log_newer', 'was written by a newer Ramet, which may know of other checkpoints');
  }
  return null;
}

function refuseLog(id: RunId, code: Code, why: string): Refusal {
  const message = `The log of ${id} ${why}; what it needs cannot be known, so nothing was collected: see \`ramet verify ${id}\`, or remove that session.`;
  return refuse(code, message, { id });
}

function addCheckpoints(draft: Draft, outline: FolderOutline): void {
  outline.heads.forEach((_, segment) => {
    const detail = outline.readDetail(segment);
    for (const { id } of detail.checkpoints) draft.checkpoints.add(id);
    for (const { checkpoint } of detail.boundaries) if (checkpoint !== null) draft.checkpoints.add(checkpoint);
  });
  const { last, tornBytes } = outline;
  if (last === undefined || tornBytes === 0) return;
  const torn = readTail(last.segment.path, last.head.bytes, tornBytes);
  for (const [id] of torn.matchAll(/(?<![0-9a-f])(?:[0-9a-f]{64}|[0-9a-f]{40})(?![0-9a-f])/g)) draft.possible.add(id);
}

function readTail(path: string, position: number, bytes: number): string {
  const file = openSync(path, 'r');
  try {
    const tail = Buffer.alloc(bytes);
    return tail.toString('latin1', 0, readSync(file, tail, 0, bytes, position));
  } finally {
    closeSync(file);
  }
}
