/**
 * What a removal would lose: work that is nowhere but in this run.
 *
 * 1. What cannot be compared counts as unsaved: a cheap "nothing to lose" has cost people their work.
 * 2. Runs that leave together do not hold each other's work.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, isRefusal, type RunId } from '@ramet/core';
import { readConfiguration } from '../config/index.ts';
import type { RunSummary } from '../inspect/index.ts';
import { openSandbox } from '../sandbox/index.ts';
import type { FileStore } from '../store/index.ts';
import { DEFAULT_CARRY } from '../workspace/checkout/index.ts';
import { readProject } from '../workspace/project/index.ts';
import { DEFAULT_CAPTURE_LIMITS, type Project, type WorkspaceHandle } from '../workspace/types.ts';
import { describeUnsaved, type UnsavedReason } from '../workspace/unsaved/index.ts';
import { findLastCheckpoint, listCheckpoints } from './held.ts';

/** What decides whether a run's work is elsewhere. */
export interface UnsavedContext {
  readonly store: FileStore;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** All runs of the store. */
  readonly all: readonly RunSummary[];
  /** Runs that are to go, this one included. */
  readonly leaving: ReadonlySet<RunId>;
}

/** Finds what only this run holds; empty: nothing would be lost. */
export async function findUnsaved(context: UnsavedContext, run: RunSummary): Promise<readonly UnsavedReason[]> {
  const { store, env } = context;
  const { id, workspace: kind, project: projectId } = run;
  const hasWorkspace = hasFolder(store.pathsOf(id).workspace);
  if (run.state === 'damaged') return hasWorkspace ? [uncomparable('its log is damaged')] : [];
  // A directory workspace is the person's own folder: it stays.
  if (kind !== 'git' || projectId === null) return [];
  const copies = countCopies(store, id);
  const left = copies === 0 ? [] : [uncomparable(`copies of nodes that are not done are there (${copies})`)];
  const checkpoint = findLastCheckpoint(store, id);
  if (checkpoint === null && !hasWorkspace) return left;
  const project = await readProject({ stateFolder: store.layout.home, id: projectId });
  if (isRefusal(project)) return [uncomparable('its project is gone')];
  const found = await describeUnsaved({
    project,
    checkpoint,
    workspace: hasWorkspace ? await openHandle(store, id, project) : null,
    ...captureRules(store, env, project),
    limits: DEFAULT_CAPTURE_LIMITS,
    others: () => listHeld(context, projectId),
  });
  return [...found, ...left];
}

/** Files of nodes with a workspace of their own, as a process that died left them: no checkpoint has them yet. */
function countCopies(store: FileStore, id: RunId): number {
  const folder = join(store.pathsOf(id).folder, 'workspaces');
  if (!hasFolder(folder)) return 0;
  return readdirSync(folder).filter((name) => hasFiles(join(folder, name, 'files'))).length;
}

/** Checkpoints that logs of runs of the project name, which stay. */
function listHeld({ store, all, leaving }: UnsavedContext, project: string): readonly string[] {
  const staying = all.filter((other) => other.project === project && !leaving.has(other.id));
  return [...new Set(staying.flatMap((other) => listCheckpoints(store, other.id)))];
}

/** What the run's captures left out by rule is not unsaved; unreadable rules are those of a project without any. */
function captureRules(store: FileStore, env: UnsavedContext['env'], project: Project) {
  const request = { env, home: store.layout.home, checkout: project.checkout, trustProject: false };
  const configuration = readConfiguration(request);
  if (isRefusal(configuration)) return { carry: DEFAULT_CARRY, captureIgnored: true };
  const { carry, captureIgnored } = configuration;
  return { carry, captureIgnored };
}

async function openHandle(store: FileStore, id: RunId, project: Project): Promise<WorkspaceHandle> {
  const paths = store.pathsOf(id);
  const view = { workspace: paths.workspace, scratch: paths.sandbox, readOnly: [], frozen: [] };
  // Of this kind the agent's git directory is read as bytes; no command runs.
  const sandbox = await openSandbox('none', view);
  if (isRefusal(sandbox)) throw new Failure(sandbox.code, sandbox.message);
  return { project, path: paths.workspace, privateFolder: join(paths.sandbox, 'private'), sandbox };
}

function uncomparable(why: string): UnsavedReason {
  return { kind: 'not_comparable', count: 0, names: [], message: `it cannot be compared: ${why}` };
}

function hasFiles(path: string): boolean {
  return hasFolder(path) && readdirSync(path).length > 0;
}

function hasFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
