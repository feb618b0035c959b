/** Forks a graph run, and goes on with the child. */
import type { Client } from '@ramet/client';
import { isRefusal, type Refusal, refuse } from '@ramet/core/codes';
import type { RunId } from '@ramet/core/events';
import {
  type DescribedRunFork,
  type DrivenRunFork,
  describeDriven,
  describeIdle,
  describeRunFork,
  refuseStart,
} from '@ramet/runtime/answers';
import type { ReplayHazard, RunForkResult } from '@ramet/runtime/fork';
import { forkRun, listForkWrites, type RunForkOptions, resumeRun } from '@ramet/runtime/graph';
import { shortenIds } from '@ramet/runtime/inspect';
import type { FileStore } from '@ramet/runtime/store';
import type { CliContext } from '../context.ts';
import { orByDaemon } from '../daemon/through.ts';
import type { ForkFlags } from '../flags.ts';
import type { Answer } from '../output/answer.ts';
import { renderRunFork, renderWrites } from '../output/run-fork.ts';
import { exitOfRun, renderDriven } from '../output/run-result.ts';
import { drive, servicesOf } from './drive.ts';
import { requireGraphFile } from './graph-file.ts';
import { readJson } from './json-input.ts';

export interface RunForkRequest {
  readonly store: FileStore;
  readonly source: RunId;
  readonly flags: ForkFlags;
}

/** Forks a run; unless `--no-start` or `--dry-run` says otherwise, the child is gone on with. */
export async function forkGraphRun(context: CliContext, request: RunForkRequest): Promise<Answer | Refusal> {
  const { store, flags } = request;
  const options = await readOptions(context, request);
  if (isRefusal(options)) return options;
  const started = context.elapsed();
  const made = await makeRunFork(context, request, options);
  if (isRefusal(made)) return explainRefusal(context, made, flags);
  const ms = context.elapsed() - started;
  const notes = renderRunFork(context, store, { made, ms, acknowledged: options.acknowledge ?? [], flags });
  const json = describeRunFork(store, made);
  const { run } = made;
  if (run === null) return { json, text: notes };
  if (flags.noStart || made.repeated) {
    const goOn = `go on: ramet resume ${shortenIds(store)(run)}\n`;
    return { json: describeIdle(json), text: `${run}\n`, notes: `${notes}${goOn}` };
  }
  return startChild(context, request, { run, json, notes });
}

/** Forks; by the daemon, where it is at work in the source. */
async function makeRunFork(
  context: CliContext,
  { store, source: id }: RunForkRequest,
  options: RunForkOptions,
): Promise<RunForkResult | Refusal> {
  const made = await forkRun(servicesOf(context, store), id, options);
  const act = async (client: Client): Promise<RunForkResult> =>
    (await import('../daemon/forks.ts')).forkRunThere(client, id, options);
  return orByDaemon(context, made, { store, id, act });
}

/** What the flags ask for; `all` is turned into the offsets it stands for. */
async function readOptions(context: CliContext, request: RunForkRequest): Promise<RunForkOptions | Refusal> {
  const { fromNode, visit, item, at, title, idempotencyKey, dryRun, acknowledgeWrites } = request.flags;
  const changes = await readChanges(context, request.flags);
  if (isRefusal(changes)) return changes;
  const options: RunForkOptions = {
    ...changes,
    ...(fromNode === undefined ? {} : { fromNode }),
    ...(visit === undefined ? {} : { visit }),
    ...(item === undefined ? {} : { item }),
    ...(at === undefined ? {} : { at }),
    ...(title === undefined ? {} : { title }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(dryRun === true ? { dryRun } : {}),
  };
  if (acknowledgeWrites === undefined) return options;
  if (acknowledgeWrites !== 'all') return { ...options, acknowledge: acknowledgeWrites };
  const writes = await listWrites(context, request, options);
  return isRefusal(writes) ? writes : { ...options, acknowledge: writes };
}

async function listWrites(
  context: CliContext,
  { store, source: id }: RunForkRequest,
  options: RunForkOptions,
): Promise<readonly number[] | Refusal> {
  const writes = await listForkWrites(servicesOf(context, store), id, options);
  const act = async (client: Client): Promise<readonly number[]> =>
    (await import('../daemon/forks.ts')).listForkWritesThere(client, id, options);
  return orByDaemon(context, writes, { store, id, act });
}

async function readChanges(
  context: CliContext,
  { input, output = [], graph }: ForkFlags,
): Promise<Pick<RunForkOptions, 'input' | 'outputs' | 'document'> | Refusal> {
  const replaced = input === undefined ? null : await readJson(context, '--input', input);
  if (isRefusal(replaced)) return replaced;
  const outputs: [string, unknown][] = [];
  for (const { node, json } of output) {
    const read = await readJson(context, `--output ${node}`, json);
    if (isRefusal(read)) return read;
    if (outputs.some(([known]) => known === node)) return refuse('bad_usage', `--output ${node} was given twice`);
    outputs.push([node, read.value]);
  }
  const document = graph === undefined ? null : await requireGraphFile(context, graph);
  if (isRefusal(document)) return document;
  return {
    ...(replaced === null ? {} : { input: replaced.value }),
    ...(outputs.length === 0 ? {} : { outputs: Object.fromEntries(outputs) }),
    ...(document === null ? {} : { document }),
  };
}

/** A person is shown each write before the line that refuses; a program finds them in the answer. */
function explainRefusal(context: CliContext, refusal: Refusal, flags: ForkFlags): Refusal {
  if (refusal.code !== 'write_replay_hazard' || flags.json || flags.events) return refusal;
  const { writes } = refusal.data as Pick<ReplayHazard, 'writes'>;
  context.stderr.write(renderWrites(context, writes));
  return refusal;
}

async function startChild(
  context: CliContext,
  { store, flags }: RunForkRequest,
  child: { readonly run: RunId; readonly json: DescribedRunFork; readonly notes: string },
): Promise<Answer | Refusal> {
  const { run: id, json, notes } = child;
  const isText = !flags.json && !flags.events;
  if (isText) context.stderr.write(notes);
  const driven = await drive(context, { store, flags }, (services, settings) => resumeRun(services, { id, settings }));
  if (isRefusal(driven)) return refuseStart(driven, id, json);
  const started: DrivenRunFork = { ...json, ...describeDriven(driven.result) };
  return {
    json: started,
    text: `${id}\n`,
    notes: await renderDriven(context, store, { ...driven, flags }),
    exit: exitOfRun(driven.result),
  };
}
