/** Graph runs, as the daemon begins them and goes on with them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Digest, type GraphDocument, isRefusal, parseDigest, type Refusal, type RunId, refuse } from '@ramet/core';
import { describeRunFork, refuseGoingOn, refuseStart } from '@ramet/runtime/answers';
import { createRun, forkRun, type NewRun, type RunResult, resumeRun } from '@ramet/runtime/graph';
import { viewGraphRun } from '@ramet/runtime/inspect/runs';
import { digestSettings } from '@ramet/runtime/session';
import { layoutOf, readGraph } from '@ramet/runtime/store';
import type { NewRunBody, SettingsBody, StartedRunAnswer } from '../contract/bodies.ts';
import { Settings } from '../contract/settings.ts';
import { makeAnswerRecorder } from './gates.ts';
import { given } from './given.ts';
import { explainOwned, isOwnedHere } from './owned.ts';
import type { Parts } from './parts.ts';
import { refuseFolder } from './place.ts';
import { deriveRunSettings } from './settings.ts';
import type { Daemon } from './types.ts';
import type { Intent } from './work/intents.ts';
import type { Job, JobEnd } from './work/supervisor.ts';

/** What the daemon does with graph runs. */
export function makeRuns(parts: Parts): Pick<Daemon, 'createRun' | 'resumeRun' | 'answerGate' | 'forkRun'> {
  const { services, supervisor } = parts;
  const recordAnswer = makeAnswerRecorder(parts);
  return {
    createRun: ({ body, key }) => startNew(parts, body, key),
    resumeRun: async (id, settings) => {
      await supervisor.findAtWork(id);
      const started = await start(parts, id, intentOf(parts, settings));
      return isRefusal(started) ? explainOwned(id, started) : started;
    },
    answerGate: async (id, body) => {
      const answered = await recordAnswer({ id, body, goOn: () => goOn(parts, id, intentOf(parts, body)) });
      if (isRefusal(answered)) return explainOwned(id, answered);
      const { isDriven, ...gate } = answered;
      const said = { run: id, ...gate };
      if (isDriven || body.start === false) return { ...said, started: isDriven };
      const started = await goOn(parts, id, intentOf(parts, body));
      return isRefusal(started) ? refuseGoingOn(started, said) : { ...said, started: true };
    },
    forkRun: async (id, options, settings) => {
      const drive = settings === null ? {} : { drive: digestDrive(parts, settings) };
      const made = await forkRun(services, id, { ...options, ...drive });
      if (isRefusal(made) || made.run === null || made.repeated || settings === null) return made;
      const started = await goOn(parts, made.run, intentOf(parts, settings));
      return isRefusal(started) ? refuseStart(started, made.run, describeRunFork(services.store, made)) : made;
    },
  };
}

function digestDrive(parts: Parts, body: SettingsBody): Digest {
  const { signal } = new AbortController();
  return digestSettings(deriveRunSettings(intentOf(parts, body).settings, { signal, observer: {} }));
}

function intentOf({ cwd }: Parts, body: SettingsBody): Intent {
  return { kind: 'run', cwd, settings: Settings.parse(body) };
}

/** The job that drives a run. */
export function makeDrive({ services }: Parts, id: RunId, intent: Intent): Job<RunResult> {
  const { settings } = intent;
  return {
    intent,
    isBegun: () => true,
    act: (driven) =>
      resumeRun(services, { id, settings: { ...deriveRunSettings(settings, driven), onDriving: driven.setDriving } }),
    describeEnd: describeRunEnd,
  };
}

function describeRunEnd({ status, parked }: RunResult, { isSuspended }: { readonly isSuspended: boolean }): JobEnd {
  if (!isSuspended) return { status, isOver: true };
  // A question that ends with this process is asked again by the next one.
  const asks = parked?.calls.some(({ reason }) => reason === 'approval_pending') === true;
  return { status, isOver: status !== 'interrupted' && !asks };
}

async function startNew(parts: Parts, body: NewRunBody, key: string | undefined): Promise<StartedRunAnswer | Refusal> {
  const { services } = parts;
  const run = describeNew(parts, body, key);
  if (isRefusal(run)) return run;
  const intent = { ...intentOf(parts, body), cwd: run.cwd };
  const { signal } = new AbortController();
  const made = await createRun(services, {
    run,
    settings: deriveRunSettings(intent.settings, { signal, observer: {} }),
  });
  if (isRefusal(made)) return made;
  const { run: id, repeated } = made;
  const state = repeated ? stateOf(parts, id) : 'idle';
  if (state !== 'idle' && state !== 'interrupted') return { run: id, status: state };
  const started = await goOn(parts, id, intent);
  if (!isRefusal(started)) return started;
  parts.supervisor.noteError(id, started);
  return { run: id, status: 'idle' };
}

function describeNew({ services }: Parts, body: NewRunBody, key: string | undefined): NewRun | Refusal {
  const { cwd, workspace, allowDirty, title, labels, input = null } = body;
  const nowhere = refuseFolder(cwd);
  if (nowhere !== null) return nowhere;
  const document = typeof body.graph === 'string' ? readKept(services.store.layout.home, body.graph) : body.graph;
  if (isRefusal(document)) return document;
  return {
    document: document as unknown as GraphDocument,
    input,
    cwd,
    allowDirty: allowDirty === true,
    ...given({ workspace, title, labels, idempotencyKey: key }),
  };
}

/** A document that was submitted before. */
function readKept(home: string, text: string): GraphDocument | Refusal {
  const hash = parseDigest(text);
  if (hash === null) return refuse('bad_graph', 'graph: expected a document, or the hash of one');
  if (!existsSync(join(layoutOf(home).graphs, `${hash}.json`))) {
    return refuse('bad_graph', `graph: no document with the hash ${hash} was submitted`, { graph: hash });
  }
  return JSON.parse(Buffer.from(readGraph(home, hash)).toString('utf8')) as GraphDocument;
}

async function start(parts: Parts, id: RunId, intent: Intent): Promise<StartedRunAnswer | Refusal> {
  const begun = await parts.supervisor.begin(makeDrive(parts, id, intent));
  if (isRefusal(begun)) return begun;
  return { run: id, status: begun.kind === 'begun' ? 'running' : begun.result.status };
}

/** As `start`; whoever drives it here already goes on with it, too. */
async function goOn(parts: Parts, id: RunId, intent: Intent): Promise<StartedRunAnswer | Refusal> {
  const started = await start(parts, id, intent);
  return isRefusal(started) && isOwnedHere(started) ? { run: id, status: 'running' } : started;
}

function stateOf({ services }: Parts, id: RunId): string {
  const read = viewGraphRun(services.store, id);
  return isRefusal(read) ? 'damaged' : read.view.state;
}
