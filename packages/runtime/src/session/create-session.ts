/** Makes a new session: its workspace and its first events appear with one rename, or nothing does. */
import { type EventDraft, isRefusal, makeRunId, type Refusal, type RunId, SCHEMA } from '@ramet/core';
import type { Configuration } from '../config/index.ts';
import { runPathsOf } from '../store/index.ts';
import type { NewSession, SessionServices } from './types.ts';
import { buildWorkspace, type SessionPlace } from './workspace/open-new.ts';
import { withProjectShared } from './workspace/project-lock.ts';

export interface CreateRequest {
  readonly place: SessionPlace;
  readonly options: NewSession;
  readonly configuration: Configuration;
  readonly signal: AbortSignal;
}

/** Creates the session; answers its id and its `workspace.open`. */
export async function createSession(services: SessionServices, request: CreateRequest): Promise<RunId | Refusal> {
  const { project } = request.place;
  if (project === null) return build(services, request);
  return withProjectShared(project, () => build(services, request));
}

async function build(services: SessionServices, request: CreateRequest): Promise<RunId | Refusal> {
  const { store } = services;
  const { place, options, configuration, signal } = request;
  const id = makeRunId(services.now(), services.randomBytes(10));
  const staged = store.stage(id);
  try {
    const paths = runPathsOf(store.layout.staging, id);
    const { allowDirty } = options;
    const opened = await buildWorkspace(place, paths, { allowDirty, configuration, signal });
    if (isRefusal(opened)) {
      staged.discard();
      return opened;
    }
    staged.append([draftStart(id, place, options), opened]);
    await staged.commit();
    return id;
  } catch (error) {
    staged.discard();
    throw error;
  }
}

function draftStart(id: RunId, place: SessionPlace, options: NewSession): EventDraft {
  const { title } = options;
  return {
    type: 'session.start',
    schema: SCHEMA,
    id,
    project: place.project?.id ?? null,
    cwd: place.cwd,
    workspace: place.kind,
    versions: { node: process.versions.node },
    ...(title === undefined ? {} : { title }),
  };
}
