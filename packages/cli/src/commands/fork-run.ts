/** Forks a graph run, and goes on with the child. */
import { isRefusal, type Refusal, refuse } from '@ramet/core/codes';
import type { RunId } from '@ramet/core/events';
import type { RunWriteHazard } from '@ramet/core/fork';
import { forkRun, type RunForkOptions, resumeRun } from '@ramet/runtime/graph';
import type { FileStore } from '@ramet/runtime/store';
import type { CliContext } from '../context.ts';
import type { ForkFlags } from '../flags.ts';
import type { Answer } from '../output/answer.ts';
import { describeRunFork, renderRunFork, renderWrites } from '../output/run-fork.ts';
import { describeDriven, exitOfRun, renderDriven } from '../output/run-result.ts';
import { shortenIds } from '../store.ts';
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
  const { store, source, flags } = request;
  const options = await readOptions(context, request);
  if (isRefusal(options)) return options;
  const started = context.elapsed();
  const made = await forkRun(servicesOf(context, store), source, options);
  if (isRefusal(made)) return explainRefusal(context, made, flags);
  const ms = context.elapsed() - started;
  const notes = renderRunFork(context, store, { made, ms, acknowledged: options.acknowledge ?? [], flags });
  const json = describeRunFork(store, made);
  const { run } = made;
  if (run === null) return { json, text: notes };
  if (flags.noStart || made.repeated) {
    const goOn = `go on: ramet resume ${shortenIds(store)(run)}\n`;
    return { json: { ...json, status: 'idle' }, text: `${run}\n`, notes: `${notes}${goOn}` };
  }
  return startChild(context, request, { run, json, notes });
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
  const { idempotencyKey: _, ...alone } = options;
  const planned = await forkRun(servicesOf(context, request.store), request.source, { ...alone, dryRun: true });
  if (isRefusal(planned)) return planned;
  return { ...options, acknowledge: (planned.plan?.writes ?? []).map(({ offset }) => offset) };
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
  const writes = refusal.data.writes as readonly RunWriteHazard[];
  context.stderr.write(renderWrites(context, writes));
  return refusal;
}

async function startChild(
  context: CliContext,
  { store, flags }: RunForkRequest,
  child: { readonly run: RunId; readonly json: Record<string, unknown>; readonly notes: string },
): Promise<Answer | Refusal> {
  const { run: id, json, notes } = child;
  const isText = !flags.json && !flags.events;
  if (isText) context.stderr.write(notes);
  const driven = await drive(context, { store, flags }, (services, settings) => resumeRun(services, { id, settings }));
  if (isRefusal(driven)) return refuseStart(driven, id, json);
  return {
    json: { ...json, ...describeDriven(driven.result) },
    text: `${id}\n`,
    notes: await renderDriven(context, store, { ...driven, flags }),
    exit: exitOfRun(driven.result),
  };
}

/** The child is there, and a person or program has to know. */
function refuseStart({ code, message, data }: Refusal, id: RunId, json: Record<string, unknown>): Refusal {
  const said = `run ${id} was made, and did not start: ${message}; go on with \`ramet resume ${id}\``;
  return refuse(code, said, { ...data, ...json, status: 'idle' });
}
