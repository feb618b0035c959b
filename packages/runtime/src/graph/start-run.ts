/**
 * Makes a run. Everything that can be refused is refused before anything of it exists; then its document is kept, and
 * its workspace and first events appear with one rename.
 */
import {
  canonicalJson,
  compileGraph,
  type EventDraft,
  type Graph,
  hashGraph,
  isRefusal,
  makeRunId,
  type Refusal,
  type RunId,
  refuse,
  SCHEMA,
} from '@ramet/core';
import { type Configuration, readConfiguration } from '../config/index.ts';
import { digestSettings } from '../session/settings.ts';
import { lockDirectory } from '../session/workspace/directory.ts';
import { buildWorkspace, findPlace, type SessionPlace } from '../session/workspace/open-new.ts';
import { withProjectShared } from '../session/workspace/project-lock.ts';
import {
  type Attempt,
  commitAttempt,
  createWithKey,
  runPathsOf,
  sha256,
  stageAttempt,
  startKeyOf,
} from '../store/index.ts';
import { refuseDocument, refuseInput } from './documents/check.ts';
import { keepDocument } from './documents/documents.ts';
import { openModels } from './nodes/models.ts';
import { refuseWithoutSandbox } from './open-run.ts';
import { usesRunFiles } from './places/file-use.ts';
import { resumeRun } from './resume-run.ts';
import { refuseRunSettings } from './settings.ts';
import type { MadeRun, NewRun, RunResult, RunServices, RunSettings } from './types.ts';

export interface StartRequest {
  readonly run: NewRun;
  readonly settings: RunSettings;
}

/** Starts a run and drives it until it ends or waits; one that its key made before is gone on with. */
export async function startRun(services: RunServices, request: StartRequest): Promise<RunResult | Refusal> {
  const made = await createRun(services, request);
  return isRefusal(made) ? made : resumeRun(services, { id: made.run, settings: request.settings });
}

/** Makes a run that nobody drives yet, or finds the one its key made. */
export async function createRun(services: RunServices, request: StartRequest): Promise<MadeRun | Refusal> {
  const { run, settings } = request;
  const { functions = [] } = services;
  const refusal =
    refuseRunSettings(settings, functions) ??
    (await refuseDocument(run.document, functions)) ??
    (await refuseInput(run.document, run.input));
  if (refusal !== null) return refusal;
  const graph = compileGraph(run.document, hashGraph(run.document, sha256));
  const { idempotencyKey: key } = run;
  const keyed =
    key === undefined
      ? { hash: null, digest: '' }
      : { hash: startKeyOf('graph', key), digest: digestNewRun(graph, run, settings) };
  return createWithKey<MadeRun>(services.store, keyed, {
    once: (attempt) => placeRun(services, { ...request, graph, attempt }),
    describeRepeated: (id) => ({ run: id, repeated: true }),
  });
}

/** Of all that is asked for: another request with the same key is refused. */
function digestNewRun({ hash: graph }: Graph, run: NewRun, settings: RunSettings): string {
  const { input, cwd, workspace = null, allowDirty, title = null, labels = null } = run;
  const place = { cwd, workspace, allowDirty };
  return sha256(canonicalJson({ graph, input, ...place, title, labels, settings: digestSettings(settings) }));
}

interface Placing extends StartRequest {
  readonly graph: Graph;
  readonly attempt: Attempt;
}

async function placeRun(services: RunServices, request: Placing): Promise<MadeRun | Refusal | 'beaten'> {
  const { run, settings, graph, attempt } = request;
  const place = await findRunPlace(services, run);
  if (isRefusal(place)) return place;
  const configuration = await checkPlace(services, { ...request, place });
  if (isRefusal(configuration)) return configuration;
  const { signal } = settings;
  const id = await commitRun(services, { run, graph, place, configuration, signal, attempt });
  if (isRefusal(id)) return id;
  return id === 'beaten' ? 'beaten' : { run: id, repeated: false };
}

/** Where a run works: in a private checkout when its nodes need files and there is a repository. */
async function findRunPlace({ store }: RunServices, run: NewRun): Promise<SessionPlace | Refusal> {
  const { cwd, workspace, allowDirty, document } = run;
  const { home } = store.layout;
  if (workspace !== undefined) return findPlace(home, { cwd, workspace, allowDirty });
  const none = { cwd, workspace: 'none', allowDirty } as const;
  if (!usesRunFiles(document)) return findPlace(home, none);
  const place = await findPlace(home, { cwd, workspace: 'git', allowDirty });
  return isRefusal(place) && place.code === 'no_workspace' ? findPlace(home, none) : place;
}

interface Placed extends StartRequest {
  readonly graph: Graph;
  readonly place: SessionPlace;
}

/** Refuses what would keep the run from being driven there. */
async function checkPlace(services: RunServices, placed: Placed): Promise<Configuration | Refusal> {
  const { graph, place, settings, run } = placed;
  const { home } = services.store.layout;
  const checkout = place.project?.checkout ?? place.directory;
  const { trustProject } = settings;
  const configuration = readConfiguration({ env: services.env, home, checkout, trustProject });
  if (isRefusal(configuration)) return configuration;
  const models = await openModels(services, { graph, settings, configuration, cwd: run.cwd });
  if (isRefusal(models)) return models;
  const noSandbox = await refuseWithoutSandbox(services, graph, settings);
  if (noSandbox !== null) return noSandbox;
  if (place.kind !== 'directory') return configuration;
  const own = [...graph.nodes.values()].find(({ node }) => 'workspace' in node && node.workspace === 'own');
  if (own !== undefined) {
    const message = `node ${own.id} wants a copy of its own, and a folder that is used in place has none to cut it from`;
    return refuse('no_workspace', message, { node: own.id });
  }
  const free = await lockDirectory(home, place.directory);
  if (isRefusal(free)) return free;
  free.release();
  return configuration;
}

interface Creation {
  readonly run: NewRun;
  readonly graph: Graph;
  readonly place: SessionPlace;
  readonly configuration: Configuration;
  readonly signal: AbortSignal;
  readonly attempt: Attempt;
}

async function commitRun(services: RunServices, creation: Creation): Promise<RunId | Refusal | 'beaten'> {
  const { project } = creation.place;
  keepDocument(services.store, creation.graph);
  return project === null ? build(services, creation) : withProjectShared(project, () => build(services, creation));
}

async function build(services: RunServices, creation: Creation): Promise<RunId | Refusal | 'beaten'> {
  const { store } = services;
  const { place, run, configuration, signal, attempt } = creation;
  const id = attempt.claimed ?? makeRunId(services.now(), services.randomBytes(10));
  const staged = stageAttempt(attempt, () => store.stage(id));
  if (staged === 'beaten') return staged;
  try {
    const { allowDirty } = run;
    const paths = runPathsOf(store.layout.staging, id);
    const opened = await buildWorkspace(place, paths, { allowDirty, configuration, signal });
    if (isRefusal(opened)) {
      staged.discard();
      return opened;
    }
    staged.append([draftStart(id, creation)]);
    staged.append([opened]);
    return (await commitAttempt(store, staged, { attempt })) ? id : 'beaten';
  } catch (error) {
    staged.discard();
    throw error;
  }
}

function draftStart(id: RunId, { run, graph, place }: Creation): EventDraft {
  const { input, title, labels, idempotencyKey: key } = run;
  return {
    type: 'graph.start',
    schema: SCHEMA,
    id,
    graph: graph.hash,
    input,
    project: place.project?.id ?? null,
    cwd: place.directory,
    workspace: place.kind,
    versions: { node: process.versions.node },
    ...(title === undefined ? {} : { title }),
    ...(labels === undefined ? {} : { labels }),
    ...(key === undefined ? {} : { key }),
  };
}
