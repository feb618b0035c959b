/**
 * What a removal would lose: work that is nowhere but in this run.
 *
 * 1. What cannot be compared counts as unsaved: a cheap "nothing to lose" has cost people their work.
 * 2. Nothing of the workspace is written and no git runs in it.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, isRefusal, type RunId } from '@ramet/core';
import { DEFAULT_CARRY } from '../config/index.ts';
import type { SessionSummary } from '../inspect/index.ts';
import { openSandbox } from '../sandbox/index.ts';
import type { FileStore } from '../store/index.ts';
import { workspaceDiffers } from '../workspace/checkpoint/index.ts';
import { readProject } from '../workspace/project/index.ts';
import { DEFAULT_CAPTURE_LIMITS, type Project, type WorkspaceHandle } from '../workspace/types.ts';
import { findLastCheckpoint } from './held.ts';

/** Why a run holds unsaved work; empty: it does not. */
export type UnsavedReasons = readonly string[];

/** Finds what only this run holds. */
export async function findUnsaved(store: FileStore, session: SessionSummary): Promise<UnsavedReasons> {
  // A directory workspace is the person's own folder: it stays.
  if (session.workspace !== 'git' || session.state === 'damaged') return findUncomparable(store, session);
  return [...(await findLiveChanges(store, session))];
}

function findUncomparable(store: FileStore, session: SessionSummary): UnsavedReasons {
  const damaged = session.state === 'damaged' && hasFolder(store.pathsOf(session.id).workspace);
  return damaged ? ['its log is damaged, so its workspace cannot be compared'] : [];
}

async function findLiveChanges(store: FileStore, session: SessionSummary): Promise<UnsavedReasons> {
  const { id, project: projectId } = session;
  if (!hasFolder(store.pathsOf(id).workspace)) return [];
  const checkpoint = findLastCheckpoint(store, id);
  if (checkpoint === null) return ['its workspace has no checkpoint'];
  const project = projectId === null ? null : await readProject({ stateFolder: store.layout.home, id: projectId });
  if (project === null || isRefusal(project)) return ['its project is gone, so its workspace cannot be compared'];
  try {
    const differs = await workspaceDiffers({
      workspace: await openHandle(store, id, project),
      checkpoint,
      carry: DEFAULT_CARRY,
      captureIgnored: true,
      limits: DEFAULT_CAPTURE_LIMITS,
    });
    return differs ? ['its workspace was changed after its last checkpoint'] : [];
  } catch (error) {
    if (error instanceof Failure) return [`its workspace cannot be compared: ${error.message}`];
    throw error;
  }
}

async function openHandle(store: FileStore, id: RunId, project: Project): Promise<WorkspaceHandle> {
  const paths = store.pathsOf(id);
  const view = { workspace: paths.workspace, scratch: paths.sandbox, readOnly: [], frozen: [] };
  // Of this kind the agent's git directory is read as bytes; no command runs.
  const sandbox = await openSandbox('none', view);
  if (isRefusal(sandbox)) throw new Failure(sandbox.code, sandbox.message);
  return { project, path: paths.workspace, privateFolder: join(paths.sandbox, 'private'), sandbox };
}

function hasFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
