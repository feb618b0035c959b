/**
 * Makes the workspace of an existing session or graph run ready for work: the live one, one restored from the checkpoint the log
 * names, or a fresh one where there is nothing to restore, said in so many words.
 *
 * 1. A restored workspace is complete and verified, or it is not there.
 * 2. Nothing is called restored that was not: every fallback has a reason, in the log and for the agent.
 */
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import {
  type EventDraft,
  type EventOf,
  Failure,
  isRefusal,
  type Refusal,
  type RunId,
  refuse,
  type SessionState,
} from '@ramet/core';
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
  readonly configuration: Configuration;
}

/** What the log of a session or a graph run says about its workspace. */
export interface RecordedWorkspace {
  /** As messages call the run. */
  readonly word: 'session' | 'run';
  readonly project: string | null;
  readonly open?: EventOf<'workspace.open'>;
  /** The run itself has opened or restored it before. */
  readonly isReady: boolean;
  /** What it goes on from; null when there is none. */
  readonly checkpoint: string | null;
  /** Why there is none. */
  readonly why: string;
  /** The run it was forked from. */
  readonly parent: RunId | null;
}

/** Binds the workspace of a session whose log is owned. */
export function bindWorkspace({
  state,
  ...request
}: BindRequest & { readonly state: SessionState }): Promise<PreparedWorkspace | Refusal> {
  return bindRecorded({
    ...request,
    recorded: {
      word: 'session',
      project: state.project,
      ...(state.workspaceOpen === undefined ? {} : { open: state.workspaceOpen }),
      isReady: state.workspaceReady,
      checkpoint: checkpointOf(state),
      why: `turn ${state.turns} has no checkpoint: ${state.lastEnd?.why ?? 'none was taken'}`,
      parent: state.descent?.parent ?? null,
    },
  });
}

interface RecordedRequest extends BindRequest {
  readonly recorded: RecordedWorkspace;
}

/** Binds the workspace that a log speaks of; the log is owned. */
export async function bindRecorded(request: RecordedRequest): Promise<PreparedWorkspace | Refusal> {
  const { store, id, recorded } = request;
  const kind = recorded.open?.kind ?? 'none';
  if (kind === 'directory') return bindDirectory(request);
  const paths = store.pathsOf(id);
  if (kind === 'none') return bindEmpty(paths, recorded);
  const project = await readProject({ stateFolder: store.layout.home, id: recorded.project ?? '' });
  if (isRefusal(project)) return project;
  const workspace = await describeGit(project, paths);
  if (recorded.isReady && existsSync(paths.workspace)) return { workspace, events: [] };
  return withProjectShared(project, () => restoreOrFresh(request, { project, paths, workspace }));
}

interface GitPlace {
  readonly project: Project;
  readonly paths: RunPaths;
  readonly workspace: BoundWorkspace;
}

async function restoreOrFresh(request: RecordedRequest, place: GitPlace): Promise<PreparedWorkspace | Refusal> {
  const { checkpoint, why } = request.recorded;
  // A workspace that no event speaks of was never worked in: what is there is the rest of a crash.
  removeTree(place.paths.workspace);
  for (const name of readdirSync(place.paths.folder)) {
    if (name.startsWith('workspace.')) removeTree(join(place.paths.folder, name));
  }
  if (checkpoint === null) return openFresh(request, place, why);
  try {
    return await restore(request, place, checkpoint);
  } catch (error) {
    if (!(error instanceof Failure) || !['checkpoint_missing', 'restore_failed'].includes(error.code)) throw error;
    return openFresh(request, place, error.message);
  }
}

async function restore(request: RecordedRequest, place: GitPlace, checkpoint: string): Promise<PreparedWorkspace> {
  const { store, recorded, configuration } = request;
  const { project, paths, workspace } = place;
  const parent = recorded.parent === null ? null : store.pathsOf(recorded.parent).workspace;
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
  const rebuilt = recorded.isReady
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

async function openFresh(
  request: RecordedRequest,
  place: GitPlace,
  reason: string,
): Promise<PreparedWorkspace | Refusal> {
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

function bindEmpty(paths: RunPaths, { word, isReady }: RecordedWorkspace): PreparedWorkspace {
  const workspace: BoundWorkspace = {
    kind: 'none',
    path: paths.workspace,
    project: null,
    readOnly: [],
    frozen: [],
    release: () => {},
  };
  if (existsSync(paths.workspace) && isReady) return { workspace, events: [] };
  makeFolder(paths.workspace);
  const reason = `this ${word} has no workspace: its folder starts empty`;
  const event: EventDraft = { type: 'workspace.restore', checkpoint: null, outcome: 'fresh', reason, carried: [] };
  return { workspace, events: [event] };
}

async function bindDirectory({ store, id, recorded }: RecordedRequest): Promise<PreparedWorkspace | Refusal> {
  const { word, open, isReady } = recorded;
  if (open?.path === undefined || !existsSync(open.path)) {
    return refuse('no_workspace', `the folder ${open?.path ?? '?'} that ${word} ${id} works in is gone`, { id });
  }
  const path = realpathSync(open.path);
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
  if (isReady) return { workspace, events: [] };
  const reason = `the folder is shared with the one that this ${word} was forked from; nothing in it was brought back`;
  const event: EventDraft = { type: 'workspace.restore', checkpoint: null, outcome: 'shared', reason, carried: [] };
  return { workspace, events: [event] };
}
