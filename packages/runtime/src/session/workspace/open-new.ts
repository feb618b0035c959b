/**
 * The workspace of a new session, built in the staging folder of its run: it appears together with the run's log.
 */
import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import { type EventDraft, isRefusal, type Refusal, refuse, type WorkspaceKind } from '@ramet/core';
import type { Configuration } from '../../config/index.ts';
import { makeFolder, type RunPaths } from '../../store/index.ts';
import { createCheckout } from '../../workspace/checkout/index.ts';
import { openProject } from '../../workspace/project/index.ts';
import type { OpenedWorkspace, Project } from '../../workspace/types.ts';
import type { NewSession } from '../types.ts';
import { hasRedirection } from './directory.ts';

/** Where a new session works. */
export interface SessionPlace {
  readonly kind: Exclude<WorkspaceKind, 'overlay'>;
  readonly project: Project | null;
  /** Relative to the workspace. */
  readonly cwd: string;
  /** The folder of a `directory` workspace. */
  readonly directory: string;
}

/** Finds out where a new session would work; makes nothing but the project's folder. */
export async function findPlace(home: string, options: NewSession): Promise<SessionPlace | Refusal> {
  const directory = realpathSync(options.cwd);
  if (options.workspace === 'none') return { kind: 'none', project: null, cwd: '', directory };
  if (options.workspace === 'directory') {
    const refusal = refuseOwnState(home, directory) ?? refuseRedirection(directory);
    return refusal ?? { kind: 'directory', project: null, cwd: '', directory };
  }
  const project = await openProject({ stateFolder: home, cwd: directory });
  if (isRefusal(project)) return project;
  if (project === null) {
    return refuse(
      'no_workspace',
      `${directory} is in no git repository; --workspace directory works in it directly, without checkpoints, and --workspace none gives the agent an empty folder`,
      { cwd: directory },
    );
  }
  return { kind: 'git', project, cwd: relative(realpathSync(project.checkout), directory), directory };
}

/** A folder that the agent may write must hold none of our state, nor lie in it. */
function refuseOwnState(home: string, directory: string): Refusal | null {
  const state = existsSync(home) ? realpathSync(home) : home;
  if (!isWithin(state, directory) && !isWithin(directory, state)) return null;
  return refuse(
    'no_workspace',
    `${directory} cannot be worked in: Ramet's own state is in ${state}; choose a folder beside it, or set RAMET_HOME`,
    { cwd: directory },
  );
}

function refuseRedirection(directory: string): Refusal | null {
  if (!hasRedirection(directory)) return null;
  const message = `${directory}/.git/commondir sends git to another folder, which cannot be protected from the agent; start without --workspace directory`;
  return refuse('unsupported_repository', message, { cwd: directory });
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith('../') && !isAbsolute(way));
}

/** Builds the workspace at `paths.workspace`; answers its `workspace.open`. */
export async function buildWorkspace(
  place: SessionPlace,
  paths: RunPaths,
  options: { readonly allowDirty: boolean; readonly configuration: Configuration; readonly signal: AbortSignal },
): Promise<EventDraft | Refusal> {
  const { kind, project } = place;
  if (kind === 'directory') return draftOpen({ ...EMPTY, kind }, place.directory);
  if (kind === 'none' || project === null) {
    makeFolder(paths.workspace);
    return draftOpen({ ...EMPTY, kind });
  }
  const { carry, captureIgnored } = options.configuration;
  const { allowDirty, signal } = options;
  const opened = await createCheckout({ project, target: paths.workspace, allowDirty, carry, captureIgnored, signal });
  return isRefusal(opened) ? opened : draftOpen(opened);
}

/** `workspace.open` as an event. */
export function draftOpen(opened: OpenedWorkspace, path?: string): EventDraft {
  const { kind, base, branch, carried, copied, leftOut, dirty } = opened;
  return {
    type: 'workspace.open',
    kind,
    base,
    branch,
    carried,
    copied,
    leftOut,
    dirty: { ...dirty },
    ...(path === undefined ? {} : { path }),
  };
}

const EMPTY: Omit<OpenedWorkspace, 'kind'> = {
  base: null,
  branch: null,
  carried: [],
  copied: [],
  leftOut: [],
  dirty: { staged: [], unstaged: [], untracked: [], stashes: 0, operation: null, carried: false },
};
