/**
 * The files of a run's nodes (W21): the run's own workspace, copies cut from its last checkpoint, empty folders.
 *
 * 1. Who can write the run's files holds them alone, from before its effect begins until its exit is recorded.
 * 2. A copy is cut anew at each entry, but for one that goes on after a crash: that finds its copy as it was left.
 *    When its node is done a copy is removed: its checkpoint has what it holds.
 * 3. `/tmp` of a node's commands is its own, and gone with it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type EventDraft, Failure, type FileUse, isRefusal, type NodePath, type RunState } from '@ramet/core';
import type { Configuration } from '../../config/index.ts';
import type { Sandbox, SandboxKind } from '../../sandbox/index.ts';
import { type Captor, makeCaptor } from '../../session/workspace/capture.ts';
import { draftOpen } from '../../session/workspace/open-new.ts';
import { withProjectShared } from '../../session/workspace/project-lock.ts';
import type { BoundWorkspace } from '../../session/workspace/types.ts';
import { type FileStore, makeFolder, removeTree, sha256 } from '../../store/index.ts';
import { createCheckout } from '../../workspace/checkout/index.ts';
import { restoreCheckpoint } from '../../workspace/checkpoint/index.ts';
import type { Project } from '../../workspace/types.ts';
import { openLazySandbox } from './lazy-sandbox.ts';
import type { NodePlace } from './types.ts';
import { createWorkspaceLock } from './workspace-lock.ts';

export interface PlacesOptions {
  readonly store: FileStore;
  readonly configuration: Configuration;
  /** The run's workspace. */
  readonly workspace: BoundWorkspace;
  readonly sandbox: SandboxKind;
  readonly state: () => RunState;
}

export interface PlaceRequest {
  readonly path: NodePath;
  readonly use: FileUse;
  /** The node goes on where a dead owner left it. */
  readonly goesOn: boolean;
  readonly signal: AbortSignal;
  /** Told when the node begins and when it ceases to wait for files that others hold. */
  readonly waits: (waiting: boolean) => void;
}

export interface Places {
  /** The run's own workspace, for what belongs to no node. */
  readonly run: { readonly workspace: BoundWorkspace; readonly sandbox: Sandbox; readonly captor: Captor };
  /** Waits until the node may use its files; rejects when the signal aborts first. */
  enter(request: PlaceRequest): Promise<NodePlace>;
}

/** Opens the places of a run whose workspace is bound. */
export function openPlaces(options: PlacesOptions): Places {
  const lock = createWorkspaceLock();
  const { store, workspace } = options;
  const paths = store.pathsOf(options.state().id);
  const privateFolder = join(paths.sandbox, 'private');
  makeFolder(privateFolder);
  const scratch = join(paths.sandbox, 'capture');
  const sandbox = sandboxIn(options, workspace, scratch);
  const captor = captorOf(options, { workspace, privateFolder, sandbox });
  return {
    run: { workspace, sandbox, captor },
    enter: async (request) => {
      const { kind, access } = request.use;
      if (access === 'none') return enterNowhere(options, request);
      if (kind !== 'run') return enterOwn(options, request);
      const release = await lock.acquire(access, request);
      const node = scratchOf(options, request.path);
      return {
        use: request.use,
        path: workspace.path,
        workspace,
        sandbox: sandboxIn(options, workspace, node),
        ...(access === 'write' ? { captor } : {}),
        events: [],
        release: () => {
          removeQuietly(node);
          release();
        },
      };
    },
  };
}

function sandboxIn(options: PlacesOptions, workspace: BoundWorkspace, scratch: string): Sandbox {
  const { path, readOnly, frozen, identity, project } = workspace;
  const hidden = [options.store.layout.home, ...(project === null ? [] : [project.checkout, project.commonDir])];
  const view = { workspace: path, scratch, readOnly, frozen, hidden, ...(identity === undefined ? {} : { identity }) };
  return openLazySandbox(options.sandbox, view);
}

function captorOf(
  { configuration }: PlacesOptions,
  place: { readonly workspace: BoundWorkspace; readonly privateFolder: string; readonly sandbox: Sandbox },
): Captor {
  return makeCaptor({ ...place, configuration });
}

/** `/tmp` of a node's commands. */
function scratchOf({ store, state }: PlacesOptions, path: NodePath): string {
  const scratch = join(store.pathsOf(state().id).sandbox, 'nodes', nameOf(path));
  removeTree(scratch);
  return scratch;
}

/** Paths of nodes are longer than names may be. */
function nameOf(path: NodePath): string {
  return sha256(path).slice(0, 32);
}

/** A node that uses no files is given a folder that is not there. */
function enterNowhere(options: PlacesOptions, { path, use }: PlaceRequest): NodePlace {
  const { store, state } = options;
  const folder = join(store.pathsOf(state().id).sandbox, 'nowhere', nameOf(path));
  const workspace = emptyWorkspace(folder);
  const sandbox = sandboxIn(options, workspace, join(folder, 'tmp'));
  return { use, path: folder, workspace, sandbox, events: [], release: () => {} };
}

async function enterOwn(options: PlacesOptions, request: PlaceRequest): Promise<NodePlace> {
  const { path, use } = request;
  const { store, state, workspace } = options;
  const folder = join(store.pathsOf(state().id).folder, 'workspaces', nameOf(path));
  const target = join(folder, 'files');
  const { project } = workspace;
  const kept = use.kind === 'own' && project !== null;
  const goesOn = kept && request.goesOn && existsSync(target);
  if (!goesOn) removeTree(folder);
  makeFolder(folder);
  const events = goesOn ? [] : kept ? await cut(options, { path, target, project }) : empty(target);
  const own: BoundWorkspace = kept ? { ...workspace, path: target, release: () => {} } : emptyWorkspace(target);
  const sandbox = sandboxIn(options, own, join(folder, 'tmp'));
  const privateFolder = join(folder, 'private');
  makeFolder(privateFolder);
  const captor = kept ? { captor: captorOf(options, { workspace: own, privateFolder, sandbox }) } : {};
  const release = (isDone: boolean): void => removeQuietly(kept && !isDone ? join(folder, 'tmp') : folder);
  return { use, path: target, workspace: own, sandbox, ...captor, events, release };
}

function empty(target: string): readonly EventDraft[] {
  makeFolder(target);
  return [];
}

/** Cuts a copy from the run's last checkpoint; from the project where there is none, or it is gone. */
async function cut(
  options: PlacesOptions,
  copy: { readonly path: NodePath; readonly target: string; readonly project: Project },
): Promise<readonly EventDraft[]> {
  const { path, target, project } = copy;
  const checkpoint = options.state().checkpoints.get('')?.id ?? null;
  return withProjectShared(project, async () => {
    if (checkpoint === null) return cutFresh(options, copy, 'the run has no checkpoint yet');
    try {
      const { carry } = options.configuration;
      const carryFrom = [{ from: 'project' as const, path: project.checkout }];
      const { carried } = await restoreCheckpoint({ project, checkpoint, target, carry, carryFrom });
      return [{ type: 'workspace.restore', node: path, checkpoint, outcome: 'restored', carried }];
    } catch (error) {
      if (!(error instanceof Failure) || !['checkpoint_missing', 'restore_failed'].includes(error.code)) throw error;
      return cutFresh(options, copy, error.message);
    }
  });
}

async function cutFresh(
  { configuration }: PlacesOptions,
  copy: { readonly path: NodePath; readonly target: string; readonly project: Project },
  reason: string,
): Promise<readonly EventDraft[]> {
  const { path: node, target, project } = copy;
  const { carry, captureIgnored } = configuration;
  const opened = await createCheckout({ project, target, allowDirty: false, carry, captureIgnored });
  if (isRefusal(opened)) throw new Failure('workspace_failed', opened.message);
  const { carried } = opened;
  const restored: EventDraft = { type: 'workspace.restore', node, checkpoint: null, outcome: 'fresh', reason, carried };
  return [{ ...draftOpen(opened), node }, restored];
}

function emptyWorkspace(path: string): BoundWorkspace {
  return { kind: 'none', path, project: null, readOnly: [], frozen: [], release: () => {} };
}

/** What cannot be removed now is removed when the node is entered again, or with the run. */
function removeQuietly(folder: string): void {
  try {
    removeTree(folder);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}
