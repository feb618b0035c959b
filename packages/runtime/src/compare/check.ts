/**
 * Runs a project's `check` command in the files of a turn.
 *
 * 1. It runs in a restored copy of the checkpoint, never in a run's own workspace or the person's checkout, and in the sandbox
 *    without a network: where there is no sandbox it does not run.
 * 2. What is answered is what that command did there and then; nothing is taken from a transcript.
 * 3. The copy is gone afterwards. What a crash leaves is removed by the next check, or the next daemon: its lock is free.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, isRefusal, type Refusal, type RunId } from '@ramet/core';
import { openSandbox, type Sandbox } from '../sandbox/index.ts';
import { withProjectShared } from '../session/workspace/project-lock.ts';
import { listNames } from '../store/durable.ts';
import { type FileStore, makeFolder, removeTree } from '../store/index.ts';
import { type HeldLock, tryAcquireLock } from '../store/lock.ts';
import { findTurnCheckpoint, type TurnCheckpoint, type TurnName } from '../workspace/browse/index.ts';
import { restoreCheckpoint } from '../workspace/checkpoint/index.ts';
import type { RestoreRequest } from '../workspace/types.ts';

export interface CheckRequest {
  readonly store: FileStore;
  /** Absent offset: the last turn that has a checkpoint. */
  readonly turn: TurnName;
  /** `check` of the configuration that holds: a line for the shell. */
  readonly command: string;
  /** Folders that come along (`node_modules`), from the run's workspace or the project's checkout. */
  readonly carry: readonly string[];
  /** Milliseconds that only rise. */
  readonly clock: () => number;
  /** Absent: ten minutes. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface CheckResult {
  readonly id: RunId;
  readonly checkpoint: string;
  readonly offset: number;
  readonly command: string;
  /** Null when the time limit or the caller ended it; 0 says that the check passed. */
  readonly exitCode: number | null;
  readonly durationMs: number;
  readonly timedOut: boolean;
  readonly interrupted: boolean;
  readonly stdout: CheckOutput;
  readonly stderr: CheckOutput;
}

/** The beginning and the end of an output; it is the agent's code that wrote it. */
export interface CheckOutput {
  readonly bytes: Uint8Array;
  /** How many bytes in its middle were dropped. */
  readonly dropped: number;
}

const TIMEOUT_MS = 10 * 60 * 1000;
const OUTPUT_BYTES = 64 * 1024;
const TAIL_BYTES = OUTPUT_BYTES / 2;

/**
 * Runs the check in the files of a turn. Refuses as `findTurnCheckpoint` does, and with `no_sandbox`; throws
 * `checkpoint_missing`, `restore_failed` or `process_failed`.
 */
export async function runCheck(request: CheckRequest): Promise<CheckResult | Refusal> {
  const { store, turn } = request;
  const found = await findTurnCheckpoint(store, turn);
  if (isRefusal(found)) return found;
  const place = makePlace(folderOf(store.layout.home));
  try {
    // Asked for first: without one nothing needs to be restored.
    const sandbox = await openCheckSandbox(store, found, place);
    if (isRefusal(sandbox)) return sandbox;
    await restoreFiles(request, found, place.workspace);
    return await runIn(sandbox, request, found);
  } finally {
    place.remove();
  }
}

interface Place {
  readonly workspace: string;
  readonly scratch: string;
  remove(): void;
}

/** Removes what checks of processes that died left behind in a state folder. */
export function sweepChecks(stateFolder: string): void {
  const folder = folderOf(stateFolder);
  if (existsSync(folder)) sweep(folder);
}

function folderOf(stateFolder: string): string {
  return join(stateFolder, 'checks');
}

/** A folder of this check's own, held by a lock beside it, after those of dead ones are removed. */
function makePlace(folder: string): Place {
  makeFolder(folder);
  sweep(folder);
  const name = randomUUID();
  const path = join(folder, name);
  const lock = holdLock(`${path}.lock`);
  const remove = (): void => {
    removeTree(path);
    removeTree(`${path}.lock`);
    lock.release();
  };
  try {
    const scratch = join(path, 'tmp');
    makeFolder(scratch);
    return { workspace: join(path, 'workspace'), scratch, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function holdLock(path: string): HeldLock {
  const lock = tryAcquireLock(path, 'exclusive');
  if (typeof lock === 'string') throw new Failure('state_unusable', `cannot lock ${path}: it is ${lock}`);
  return lock;
}

function sweep(folder: string): void {
  for (const name of listNames(folder)) {
    if (!name.endsWith('.lock')) continue;
    const path = join(folder, name);
    const lock = tryAcquireLock(path, 'exclusive', { create: false });
    if (typeof lock === 'string') continue;
    removeTree(path.slice(0, -'.lock'.length));
    removeTree(path);
    lock.release();
  }
}

async function openCheckSandbox(
  store: FileStore,
  { project }: TurnCheckpoint,
  { workspace, scratch }: Place,
): Promise<Sandbox | Refusal> {
  return openSandbox('bubblewrap', {
    ...{ workspace, scratch, frozen: [] },
    readOnly: [project.baseGit],
    hidden: [store.layout.home, project.checkout, project.commonDir],
  });
}

/** Garbage collection is kept out until the files are there. */
async function restoreFiles(request: CheckRequest, found: TurnCheckpoint, target: string): Promise<void> {
  const { project, checkpoint, id } = found;
  const own = request.store.pathsOf(id).workspace;
  const carryFrom: RestoreRequest['carryFrom'] = [
    ...(existsSync(own) ? [{ from: 'parent' as const, path: own }] : []),
    { from: 'project', path: project.checkout },
  ];
  await withProjectShared(project, () =>
    restoreCheckpoint({ project, checkpoint, target, carry: request.carry, carryFrom }),
  );
}

async function runIn(sandbox: Sandbox, request: CheckRequest, found: TurnCheckpoint): Promise<CheckResult> {
  const { command, clock, timeoutMs = TIMEOUT_MS, signal } = request;
  const started = clock();
  const outcome = await sandbox.run({
    argv: ['sh', '-c', command],
    cwd: '',
    stdout: { kind: 'collect', limitBytes: OUTPUT_BYTES, tailBytes: TAIL_BYTES },
    stderrLimitBytes: OUTPUT_BYTES,
    stderrTailBytes: TAIL_BYTES,
    timeoutMs,
    ...(signal === undefined ? {} : { signal }),
  });
  return {
    ...{ id: found.id, checkpoint: found.checkpoint, offset: found.offset, command },
    exitCode: outcome.timedOut || outcome.aborted ? null : outcome.exitCode,
    durationMs: clock() - started,
    timedOut: outcome.timedOut,
    interrupted: outcome.aborted,
    stdout: { bytes: outcome.stdout, dropped: outcome.droppedBytes.stdout },
    stderr: { bytes: outcome.stderr, dropped: outcome.droppedBytes.stderr },
  };
}
