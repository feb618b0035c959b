/** Makes a new session: its workspace and its first events appear with one rename, or nothing does. */
import {
  canonicalJson,
  type Digest,
  type EventDraft,
  isRefusal,
  makeRunId,
  type Refusal,
  type RunId,
  SCHEMA,
} from '@ramet/core';
import type { Configuration } from '../config/index.ts';
import { type Attempt, commitAttempt, runPathsOf, sha256, stageAttempt } from '../store/index.ts';
import type { NewSession, SessionServices } from './types.ts';
import { buildWorkspace, type SessionPlace } from './workspace/open-new.ts';
import { withProjectShared } from './workspace/project-lock.ts';

export interface CreateRequest {
  readonly place: SessionPlace;
  readonly options: NewSession;
  readonly configuration: Configuration;
  readonly signal: AbortSignal;
  readonly attempt: Attempt;
}

/** Creates the session and answers its id; `beaten` when another process with the same key was first. */
export async function createSession(
  services: SessionServices,
  request: CreateRequest,
): Promise<RunId | Refusal | 'beaten'> {
  const { project } = request.place;
  if (project === null) return build(services, request);
  return withProjectShared(project, () => build(services, request));
}

async function build(services: SessionServices, request: CreateRequest): Promise<RunId | Refusal | 'beaten'> {
  const { store } = services;
  const { place, options, configuration, signal, attempt } = request;
  const id = attempt.claimed ?? makeRunId(services.now(), services.randomBytes(10));
  const staged = stageAttempt(attempt, () => store.stage(id));
  if (staged === 'beaten') return staged;
  try {
    const paths = runPathsOf(store.layout.staging, id);
    const { allowDirty } = options;
    const opened = await buildWorkspace(place, paths, { allowDirty, configuration, signal });
    if (isRefusal(opened)) {
      staged.discard();
      return opened;
    }
    staged.append([draftStart(id, place, options), opened]);
    return (await commitAttempt(store, staged, { attempt })) ? id : 'beaten';
  } catch (error) {
    staged.discard();
    throw error;
  }
}

function draftStart(id: RunId, place: SessionPlace, options: NewSession): EventDraft {
  const { title, idempotencyKey: key } = options;
  return {
    type: 'session.start',
    schema: SCHEMA,
    id,
    project: place.project?.id ?? null,
    cwd: place.cwd,
    workspace: place.kind,
    versions: { node: process.versions.node },
    ...(title === undefined ? {} : { title }),
    ...(key === undefined ? {} : { key }),
  };
}

/** Of all that is asked for: another request with the same key is refused. `message` and `settings`: their digests. */
export function digestNewSession(
  { cwd, workspace, allowDirty, title }: NewSession,
  first: { readonly message: Digest; readonly settings: Digest },
): string {
  const place = { cwd, workspace: workspace ?? null, allowDirty };
  return sha256(canonicalJson({ ...place, title: title ?? null, ...first }));
}
