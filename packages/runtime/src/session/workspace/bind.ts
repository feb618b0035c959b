/**
 * Makes the workspace of an existing session ready for a turn: the live one, one restored from the checkpoint the log
 * names, or a fresh one where there is nothing to restore, said in so many words.
 *
 * 1. A restored workspace is complete and verified, or it is not there.
 * 2. Nothing is called restored that was not: every fallback has a reason, in the log and for the agent.
 */
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { type EventDraft, Failure, isRefusal, type Refusal, type RunId, refuse, type SessionState } from '@ramet/core';
import type { Configuration } from '../../config/index.ts';
import { type FileStore, makeFolder, type RunPaths, removeTree } from '../../store/index.ts';
import { createCheckout } from '../../workspace/checkout/index.ts';
import { restoreCheckpoint } from '../../workspace/checkpoint/index.ts';
import { readProject } from '../../workspace/project/index.ts';
import type { Project } from '../../workspace/types.ts';
import { freezeGit, lockDirectory, removeRedirection } from './directory.ts';
import { readIdentity } from './identity.ts';
import { draftOpen } from './open-new.ts';
import { withProjectShared } from './project-lock.ts';
import type { BoundWorkspace, PreparedWorkspace } from './types.ts';

export interface BindRequest {
  readonly store: FileStore;
  readonly id: RunId;
  readonly state: SessionState;
  readonly configuration: Configuration;
}

/** Binds the workspace of a session whose log is owned. */
export async function bindWorkspace(request: BindRequest): Promise<PreparedWorkspace | Refusal> {
  const { store, id, state } = request;
  const kind = state.workspaceOpen?.kind ?? 'none';
  if (kind === 'directory') return bindDirectory(request);
  const paths = store.pathsOf(id);
  if (kind === 'none') return bindEmpty(paths, state);
  const project = await readProject({ stateFolder: store.layout.home, id: state.project ?? '' });
  if (isRefusal(project)) return project;
  const workspace = await describeGit(project, paths);
  if (state.workspaceReady && existsSync(paths.workspace)) return { workspace, events: [] };
  return withProjectShared(project, () => restoreOrFresh(request, { project, paths, workspace }));
}

interface GitPlace {
  readonly project: Project;
  readonly paths: RunPaths;
  readonly workspace: BoundWorkspace;
}

async function restoreOrFresh(request: BindRequest, place: GitPlace): Promise<PreparedWorkspace | Refusal> {
  const { state } = request;
  const checkpoint = checkpointOf(state);
  // A workspace that no event speaks of was never worked in: what is there is the rest of a crash.
  removeTree(place.paths.workspace);
  for (const name of readdirSync(place.paths.folder)) {
    if (name.startsWith('workspace.')) removeTree(join(place.paths.folder, name));
  }
  if (checkpoint === null) {
    return openFresh(
      request,
      place,
      `turn ${state.turns} has no checkpoint: ${state.lastEnd?.why ?? 'none was taken'}`,
    );
  }
  try {
    return await restore(request, place, checkpoint);
  } catch (error) {
    if (!(error instanceof Failure) || !['checkpoint_missing', 'restore_failed'].includes(error.code)) throw error;
    return openFresh(request, place, error.message);
  }
}

async function restore(request: BindRequest, place: GitPlace, checkpoint: string): Promise<PreparedWorkspace> {
  const { store, state, configuration } = request;
  const { project, paths, workspace } = place;
  const parent = state.fork === undefined ? null : store.pathsOf(state.fork.parent).workspace;
  const restored = await restoreCheckpoint({
    project,
    checkpoint,
    target: paths.workspace,
    carry: configuration.carry,
    carryFrom: [
      ...(parent !== null && existsSync(parent) ? [{ from: 'parent' as const, path: parent }] : []),
      { from: 'project', path: project.checkout },
    ],
  });
  const rebuilt = state.workspaceReady
    ? { reason: 'the workspace folder was gone; what came after this checkpoint is lost' }
    : {};
  const event: EventDraft = {
    type: 'workspace.restore',
    checkpoint,
    outcome: 'restored',
    carried: restored.carried,
    ...rebuilt,
  };
  return { workspace, events: [event] };
}

async function openFresh(request: BindRequest, place: GitPlace, reason: string): Promise<PreparedWorkspace | Refusal> {
  const { carry, captureIgnored } = request.configuration;
  const { project, paths, workspace } = place;
  const opened = await createCheckout({ project, target: paths.workspace, allowDirty: false, carry, captureIgnored });
  if (isRefusal(opened)) return opened;
  const event: EventDraft = {
    type: 'workspace.restore',
    checkpoint: null,
    outcome: 'fresh',
    reason,
    carried: opened.carried,
  };
  return { workspace, events: [draftOpen(opened), event] };
}

/** The checkpoint a session goes on from: that of its last boundary, or a later one taken between turns. */
function checkpointOf(state: SessionState): string | null {
  const { lastEnd, lastCheckpoint } = state;
  const ended = lastEnd === undefined || lastEnd.checkpoint === 'none' ? null : lastEnd.checkpoint;
  if (lastCheckpoint !== undefined && lastCheckpoint.seq > (lastEnd?.seq ?? -1)) return lastCheckpoint.id;
  return ended;
}

async function describeGit(project: Project, paths: RunPaths): Promise<BoundWorkspace> {
  const identity = await readIdentity(project);
  return {
    kind: 'git',
    path: paths.workspace,
    project,
    readOnly: [project.baseGit],
    frozen: [],
    ...(identity === null ? {} : { identity }),
    release: () => {},
  };
}

function bindEmpty(paths: RunPaths, state: SessionState): PreparedWorkspace {
  const workspace: BoundWorkspace = {
    kind: 'none',
    path: paths.workspace,
    project: null,
    readOnly: [],
    frozen: [],
    release: () => {},
  };
  if (existsSync(paths.workspace) && state.workspaceReady) return { workspace, events: [] };
  makeFolder(paths.workspace);
  const reason = 'this session has no workspace: its folder starts empty';
  const event: EventDraft = { type: 'workspace.restore', checkpoint: null, outcome: 'fresh', reason, carried: [] };
  return { workspace, events: [event] };
}

async function bindDirectory(request: BindRequest): Promise<PreparedWorkspace | Refusal> {
  const { store, state, id } = request;
  const recorded = state.workspaceOpen?.path;
  if (recorded === undefined || !existsSync(recorded)) {
    return refuse('no_workspace', `the folder ${recorded ?? '?'} that session ${id} works in is gone`, { id });
  }
  const path = realpathSync(recorded);
  const lock = await lockDirectory(store.layout.home, path);
  if (isRefusal(lock)) return lock;
  // The owner of an earlier turn may have died before it could.
  removeRedirection(path);
  const workspace: BoundWorkspace = {
    kind: 'directory',
    path,
    project: null,
    readOnly: [],
    frozen: freezeGit(path),
    release: () => {
      removeRedirection(path);
      lock.release();
    },
  };
  if (state.workspaceReady) return { workspace, events: [] };
  const reason = 'the folder is shared with the session this one was forked from; nothing in it was brought back';
  const event: EventDraft = { type: 'workspace.restore', checkpoint: null, outcome: 'shared', reason, carried: [] };
  return { workspace, events: [event] };
}
