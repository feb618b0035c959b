/**
 * Commits a planned fork. Everything that can be said no to is said before anything is made.
 *
 * 1. The source is locked shared from the check to the commit, or owned by this very process.
 * 2. A failure leaves no trace of the child and the source untouched.
 * 3. No git runs here: a checkpoint is held by being named in a log.
 */
import {
  canonicalJson,
  type Digest,
  decodeValue,
  type EventDraft,
  type ForkOrigin,
  type ForkPlan,
  type ForkRequest,
  isRefusal,
  planFork,
  type Refusal,
  type RunId,
  refuse,
} from '@ramet/core';
import { type LogOutline, type RunStore, refuseDamaged, type SharedLog, sha256 } from '../store/index.ts';
import { type Attempt, commitChild, forkWithKey } from './keyed-fork.ts';

export interface ForkOptions extends ForkRequest {
  readonly idempotencyKey?: string;
  /** Plan, answer, and make nothing. */
  readonly dryRun?: boolean;
}

/** What a fork made, or would make (`session` is null). */
export interface ForkResult {
  readonly session: RunId | null;
  readonly forkedFrom: ForkOrigin;
  readonly plan: ForkPlan;
  readonly bytes: { readonly own: number; readonly shared: number };
  /** Payloads of the prefix that the source has lost: the child misses them too. */
  readonly missingPayloads: readonly string[];
  /** An earlier request with the same key made it. */
  readonly repeated: boolean;
}

export interface ForkContext {
  readonly store: RunStore;
  readonly makeId: () => RunId;
}

/** Forks a session at a completed turn. */
export async function forkSession(
  context: ForkContext,
  source: RunId,
  options: ForkOptions,
): Promise<ForkResult | Refusal> {
  const { store } = context;
  const request = { source, ...keyOf(options), digest: requestDigestOf(options) };
  return forkWithKey(store, request, {
    once: (attempt) => forkOnce(context, options, attempt),
    describeRepeated: (child) => describeRepeated(store, child),
  });
}

async function forkOnce(
  { store, makeId }: ForkContext,
  options: ForkOptions,
  attempt: Attempt,
): Promise<ForkResult | Refusal | 'beaten'> {
  const log = await store.share(attempt.request.source);
  if (isRefusal(log)) return log;
  try {
    const plan = planOn(log, options);
    if (isRefusal(plan)) return plan;
    return await commitPlan(store, attempt, { log, plan, options, childId: attempt.claimed ?? makeId() });
  } finally {
    log.close();
  }
}

interface Commit {
  readonly log: SharedLog;
  readonly plan: ForkPlan;
  readonly options: ForkOptions;
  readonly childId: RunId;
}

async function commitPlan(store: RunStore, attempt: Attempt, commit: Commit): Promise<ForkResult | 'beaten'> {
  const { log, plan, options, childId } = commit;
  const { position, bytes: length } = plan.boundary;
  const digest = sha256(log.readOutline().readLineBytes(plan.segment, position, length));
  const forkedFrom: ForkOrigin = { id: plan.source, offset: plan.boundary.offset, digest };
  if (options.dryRun === true) {
    const bytes = { own: plan.prefix.segmentBytes, shared: plan.prefix.bytes - plan.prefix.segmentBytes };
    return { session: null, forkedFrom, plan, bytes, missingPayloads: [], repeated: false };
  }
  const drafts = [draftFork(plan, { childId, forkedFrom, ...keyOf(options) })];
  const made = await commitChild(store, attempt, { id: childId, prefix: { source: log, plan }, drafts });
  if (made === 'beaten') return 'beaten';
  return { session: childId, forkedFrom, plan, ...made, repeated: false };
}

function planOn(log: SharedLog, options: ForkOptions): ForkPlan | Refusal {
  const outline = log.readOutline();
  const { damage } = outline;
  // Of a damaged log nobody knows the latest turn, and nothing at or after the damage exists.
  if (damage !== null && (options.at === undefined || options.at >= damage.offset))
    return refuseDamaged(log.id, outline);
  const plan = planFork(outline, options);
  // The lines before a damage may not reach this run's own `session.fork`: then they name an ancestor.
  if (isRefusal(plan)) return plan;
  // Inputs come as their lines hold them; as values they are shown, compared, and encoded anew in the child's own line.
  const outstanding = decodeValue(plan.outstanding, log.readPayload) as ForkPlan['outstanding'];
  return { ...plan, source: log.id, outstanding };
}

function draftFork(
  plan: ForkPlan,
  child: { readonly childId: RunId; readonly forkedFrom: ForkOrigin; readonly key?: string },
): EventDraft {
  return {
    type: 'session.fork',
    id: child.childId,
    parent: plan.source,
    offset: child.forkedFrom.offset,
    digest: child.forkedFrom.digest,
    cwd: plan.cwd,
    ...(plan.title === undefined ? {} : { title: plan.title }),
    ...(plan.outstanding.length === 0 ? {} : { outstanding: plan.outstanding }),
    ...(child.key === undefined ? {} : { key: child.key }),
  };
}

function keyOf(options: ForkOptions): { readonly key?: string } {
  return options.idempotencyKey === undefined ? {} : { key: options.idempotencyKey };
}

function requestDigestOf(options: ForkOptions): string {
  return sha256(canonicalJson({ at: options.at ?? null, title: options.title ?? null }));
}

/** Answers for a child that is there already, from its own log. */
function describeRepeated(store: RunStore, child: RunId): ForkResult | Refusal {
  const outline = store.read(child)?.readOutline();
  const fork = outline === undefined ? undefined : firstForkOf(outline, child);
  if (outline === undefined || fork === undefined) {
    return refuse('log_damaged', `the child ${child} that this key made cannot be read`, { child });
  }
  const plan = planFork(outline, { at: fork.at });
  if (isRefusal(plan)) return plan;
  const forkedFrom = { id: fork.parent, offset: fork.at, digest: fork.digest };
  const bytes = { own: 0, shared: plan.prefix.bytes };
  return {
    session: child,
    forkedFrom,
    plan: { ...plan, source: fork.parent },
    bytes,
    missingPayloads: [],
    repeated: true,
  };
}

function firstForkOf(
  outline: LogOutline,
  child: RunId,
): { readonly at: number; readonly parent: RunId; readonly digest: Digest } | undefined {
  return outline.heads.flatMap((_, index) => outline.readDetail(index).forks).find((mark) => mark.id === child);
}
