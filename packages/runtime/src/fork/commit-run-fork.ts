/**
 * Commits a planned fork of a graph run. Everything that can be said no to is said before anything is made.
 *
 * 1. The source is locked shared from the check to the commit, or owned by this very process. It is only read.
 * 2. Every write that the child would make again is acknowledged, and nothing else is: judged under that lock.
 * 3. A failure leaves no trace of the child and the source untouched.
 * 4. A damaged source is refused: which writes lie after the damage nobody knows.
 */
import {
  canonicalJson,
  type Digest,
  decodeValue,
  type EventDraft,
  type EventOf,
  Failure,
  isRefusal,
  knownEvent,
  parseLine,
  payloadsIn,
  planRunFork,
  type Refusal,
  type RunChanges,
  type RunForkPlan,
  type RunId,
  type RunOrigin,
  refuse,
  SCHEMA,
} from '@ramet/core';
import { type LogReader, type RunStore, refuseDamaged, type SharedLog, sha256 } from '../store/index.ts';
import { FILE_TOOLS } from '../tools/names.ts';
import { judgeAcknowledged } from './acknowledgement.ts';
import { type Attempt, commitChild, forkWithKey } from './keyed-fork.ts';
import type { ForkedSource } from './named-calls.ts';
import { listRewalk } from './rewalk.ts';
import type { RunForkCommit, RunForkContext, RunForkResult } from './run-types.ts';

/** Forks a graph run at the entry of a node. */
export async function forkRun(
  context: RunForkContext,
  source: RunId,
  options: RunForkCommit,
): Promise<RunForkResult | Refusal> {
  const { store } = context;
  const request = { source, ...keyOf(options), digest: requestDigestOf(options) };
  return forkWithKey(store, request, {
    once: (attempt) => forkOnce(context, options, attempt),
    describeRepeated: (child) => describeRepeated(store, child),
  });
}

async function forkOnce(
  context: RunForkContext,
  options: RunForkCommit,
  attempt: Attempt,
): Promise<RunForkResult | Refusal | 'beaten'> {
  const log = await context.store.share(attempt.request.source);
  if (isRefusal(log)) return log;
  try {
    const plan = planOn(log, options);
    if (isRefusal(plan)) return plan;
    const refusal = judgeAcknowledged(plan, options);
    if (isRefusal(refusal)) return refusal;
    return await commitPlan(context, attempt, { log, plan, options });
  } finally {
    log.close();
  }
}

function planOn(log: SharedLog, options: RunForkCommit): RunForkPlan | Refusal {
  const outline = log.readOutline();
  const startsRun = outline.heads[0]?.graph !== undefined;
  if (outline.damage !== null && startsRun) return refuseDamaged(log.id, outline);
  const plan = planRunFork({ ...outline, graph: options.sourceGraph, fileTools: FILE_TOOLS }, options);
  if (isRefusal(plan)) return plan;
  const { writes, inheritedChanges, changes } = plan;
  const decode = <T>(value: T): T => decodeValue(value, log.readPayload) as T;
  const merged = mergeChanges(decode(inheritedChanges ?? {}), changes ?? {});
  return { ...plan, writes: decode(writes), ...(Object.keys(merged).length === 0 ? {} : { changes: merged }) };
}

/** What a person changes now stands above what the source's own fork had changed. */
function mergeChanges(inherited: RunChanges, changes: RunChanges): RunChanges {
  const outputs = { ...inherited.outputs, ...changes.outputs };
  return { ...inherited, ...changes, ...(Object.keys(outputs).length === 0 ? {} : { outputs }) };
}

interface Commit {
  readonly log: SharedLog;
  readonly plan: RunForkPlan;
  readonly options: RunForkCommit;
}

async function commitPlan(
  { store, makeId, now }: RunForkContext,
  attempt: Attempt,
  { log, plan, options }: Commit,
): Promise<RunForkResult | 'beaten'> {
  const forkedFrom = describeOrigin(log, plan, now());
  if (options.dryRun === true) return describeDryRun(plan, forkedFrom);
  const id = attempt.claimed ?? makeId();
  const source = { log, plan, start: readStart(log), graph: options.sourceGraph };
  const draft = draftStart(source, { id, forkedFrom, ...keyOf(options) });
  const { beforeCommit } = options;
  const prefix = { source: log, plan };
  const child = { id, prefix, drafts: [draft], ...(beforeCommit === undefined ? {} : { beforeCommit }) };
  const made = await explainTooLarge(source, draft, () => commitChild(store, attempt, child));
  if (made === 'beaten') return 'beaten';
  return { run: id, forkedFrom, plan, wouldProceed: true, ...made, repeated: false };
}

function describeDryRun(plan: RunForkPlan, forkedFrom: RunOrigin): RunForkResult {
  const { bytes: inherited, segment, segmentBytes } = plan.prefix;
  const own = segment > 0 ? segmentBytes : 0;
  return {
    run: null,
    forkedFrom,
    plan,
    wouldProceed: judgeAcknowledged(plan, {}) === null,
    bytes: { own, shared: inherited - own },
    missingPayloads: [],
    repeated: false,
  };
}

function describeOrigin(log: SharedLog, plan: RunForkPlan, nowMs: number): RunOrigin {
  const { source: id, offset, fromNode, visit, graphHash, sourceEvent0Digest, acknowledged, changes } = plan;
  return {
    id,
    offset,
    digest: readPrefixDigest(log, plan),
    fromNode,
    visit,
    graphHash,
    sourceEvent0Digest,
    acknowledgedWrites: acknowledged,
    ...(changes === undefined ? {} : { changes }),
    time: new Date(nowMs).toISOString(),
  };
}

/** SHA-256 of the line before the boundary: what the boundary's own line says, but after event 0 (L24). */
function readPrefixDigest(log: SharedLog, { source, offset, boundary }: RunForkPlan): Digest {
  const outline = log.readOutline();
  const [event0] = outline.heads;
  if (offset === 0 && event0 !== undefined) return event0.digest;
  const segment = outline.heads.findLastIndex(({ first }) => first <= boundary.offset);
  const event = parseLine(Buffer.from(outline.readLineBytes(segment, boundary.position, boundary.bytes)).toString());
  if (typeof event !== 'string' && event.seq === boundary.offset) return event.prev;
  const message = `event ${boundary.offset} of ${source} changed while it was forked`;
  throw new Failure('log_damaged', `${message}; check it with \`ramet verify\``);
}

/** The source's event 0 with its values as they were given: they are encoded anew in the child's. */
function readStart(log: SharedLog): EventOf<'graph.start'> {
  const [event] = log.readEvents({ from: 0, to: 0 });
  const known = event === undefined ? null : knownEvent(event);
  if (event === undefined || known?.type !== 'graph.start') {
    throw new Failure(
      'log_damaged',
      `event 0 of ${log.id} changed while it was forked; check it with \`ramet verify\``,
    );
  }
  for (const { $blob: digest } of payloadsIn(event)) {
    const bytes = log.readPayload(digest);
    if (bytes !== null && sha256(bytes) === digest) continue;
    const message = `run ${log.id} has lost a part of its input (payload ${digest}), so it cannot be forked`;
    throw new Failure('log_damaged', `${message}; nothing was made`, { data: { id: log.id, payload: digest } });
  }
  const decode = (value: unknown): unknown => decodeValue(value, log.readPayload);
  const fields = Object.entries(known).map(([name, value]) => [name, decode(value)]);
  return Object.fromEntries(fields) as EventOf<'graph.start'>;
}

function draftStart(
  source: ForkedSource,
  child: { readonly id: RunId; readonly forkedFrom: RunOrigin; readonly key?: string },
): EventDraft {
  const { plan, start } = source;
  const { input, project, cwd, workspace, labels } = start;
  const title = plan.title ?? start.title;
  const rewalk = listRewalk(source);
  return {
    type: 'graph.start',
    schema: SCHEMA,
    id: child.id,
    graph: plan.graphHash,
    input,
    project,
    cwd,
    workspace,
    versions: { node: process.versions.node },
    ...(title === undefined ? {} : { title }),
    ...(labels === undefined ? {} : { labels }),
    forkedFrom: child.forkedFrom,
    ...(rewalk.length === 0 ? {} : { rewalk }),
    ...(child.key === undefined ? {} : { key: child.key }),
  };
}

/** Says of an event 0 that does not fit a line what made it large. */
async function explainTooLarge<T>(source: ForkedSource, draft: EventDraft, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'event_too_large') throw error;
    const calls = draft.type === 'graph.start' ? (draft.rewalk?.length ?? 0) : 0;
    const { source: id, boundary } = source.plan;
    const what = `a child of run ${id} at offset ${boundary.offset} would have to record ${calls} calls that it may make again, and what is changed`;
    const message = `${what}: that does not fit in its event 0 (1 MiB); nothing was made; fork at a later node`;
    throw new Failure('event_too_large', message, { data: { id, at: boundary.offset, calls }, cause: error });
  }
}

function keyOf(options: RunForkCommit): { readonly key?: string } {
  return options.idempotencyKey === undefined ? {} : { key: options.idempotencyKey };
}

/** Of all a request says but how it is made: another one with the same key is refused. */
function requestDigestOf(options: RunForkCommit): string {
  const { fromNode, visit, item, at, input, outputs, graph, acknowledge, title, drive } = options;
  const acknowledged = [...new Set(acknowledge)].sort((left, right) => left - right);
  const changed = { input: input === undefined ? null : { is: input }, outputs: outputs ?? null };
  const where = { fromNode: fromNode ?? null, visit: visit ?? null, item: item ?? null, at: at ?? null };
  return sha256(
    canonicalJson({
      ...{ ...where, ...changed, graph: graph?.hash ?? null, acknowledged, title: title ?? null },
      ...(drive === undefined ? {} : { drive }),
    }),
  );
}

/** Answers for a child that is there already, from its own log. */
function describeRepeated(store: RunStore, child: RunId): RunForkResult | Refusal {
  const log = store.read(child);
  const forkedFrom = log === null ? undefined : readOrigin(log);
  if (log === null || forkedFrom === undefined) {
    return refuse('log_damaged', `the child ${child} that this key made cannot be read`, { child });
  }
  const { heads } = log.readOutline();
  const shared = heads.reduce((sum, { first, bytes }) => (first === 0 ? sum : sum + bytes), 0);
  const rest = { plan: null, wouldProceed: true, missingPayloads: [], repeated: true };
  return { run: child, forkedFrom, bytes: { own: 0, shared }, ...rest };
}

function readOrigin(log: LogReader): RunOrigin | undefined {
  const [event] = log.readEvents({ from: 0, to: 0 });
  const known = event === undefined ? null : knownEvent(event);
  if (known?.type !== 'graph.start' || known.forkedFrom === undefined) return undefined;
  return decodeValue(known.forkedFrom, log.readPayload) as RunOrigin;
}
