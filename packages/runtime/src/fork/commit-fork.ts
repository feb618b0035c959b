/**
 * Commits a planned fork. Everything that can be said no to is said before anything is made.
 *
 * 1. The source is locked shared from the check to the commit, or owned by this very process.
 * 2. A failure leaves no trace of the child and the source untouched.
 * 3. One idempotency key makes one child; with another request it is refused.
 * 4. No git runs here: a checkpoint is held by being named in a log.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  canonicalJson,
  type Digest,
  decodeValue,
  type EventDraft,
  Failure,
  type ForkOrigin,
  type ForkPlan,
  type ForkRequest,
  isRefusal,
  planFork,
  type Refusal,
  type RunId,
  refuse,
} from '@ramet/core';
import {
  forkKeyOf,
  type KeyRecord,
  type LogOutline,
  type RunStore,
  refuseDamaged,
  type SharedLog,
  type StagedRun,
  sha256,
} from '../store/index.ts';

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

/** How often a fork with a key starts again because another process with this key was first, or died. */
const ATTEMPTS = 5;

/** Forks a session at a completed turn. */
export async function forkSession(
  context: ForkContext,
  source: RunId,
  options: ForkOptions,
): Promise<ForkResult | Refusal> {
  const { store } = context;
  const hash = options.idempotencyKey === undefined ? null : forkKeyOf(source, options.idempotencyKey);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const known = hash === null ? null : await awaitKeyed(store, hash, requestDigestOf(options));
    if (isRefusal(known)) return known;
    if (known?.made) return describeRepeated(store, known.record.child);
    const result = await forkOnce(context, source, { options, hash, claimed: known?.record.child ?? null });
    if (result !== 'beaten') return result;
  }
  return refuseBusy(`other forks of ${source} with this key keep being first and dying`);
}

interface Attempt {
  readonly options: ForkOptions;
  readonly hash: Digest | null;
  /** The child the key is bound to already: its first builder died, or another process is at it too. */
  readonly claimed: RunId | null;
}

/** `beaten`: another process with the same key was first. */
async function forkOnce(
  { store, makeId }: ForkContext,
  source: RunId,
  attempt: Attempt,
): Promise<ForkResult | Refusal | 'beaten'> {
  const log = await store.share(source);
  if (isRefusal(log)) return log;
  try {
    const plan = planOn(log, attempt.options);
    if (isRefusal(plan)) return plan;
    return await commitPlan(store, { ...attempt, log, plan, childId: attempt.claimed ?? makeId() });
  } finally {
    log.close();
  }
}

interface Commit extends Attempt {
  readonly log: SharedLog;
  readonly plan: ForkPlan;
  readonly childId: RunId;
}

async function commitPlan(store: RunStore, commit: Commit): Promise<ForkResult | Refusal | 'beaten'> {
  const { log, plan, options, childId } = commit;
  const { position, bytes: length } = plan.boundary;
  const digest = sha256(log.readOutline().readLineBytes(plan.segment, position, length));
  const forkedFrom: ForkOrigin = { id: plan.source, offset: plan.boundary.offset, digest };
  if (options.dryRun === true) {
    const bytes = { own: plan.prefix.segmentBytes, shared: plan.prefix.bytes - plan.prefix.segmentBytes };
    return { session: null, forkedFrom, plan, bytes, missingPayloads: [], repeated: false };
  }
  const staged = stageChild(store, commit);
  if (staged === 'beaten') return 'beaten';
  try {
    staged.append([draftFork(plan, { childId, forkedFrom, ...keyOf(options) })]);
  } catch (error) {
    staged.discard();
    throw error;
  }
  const { bytes, missingPayloads } = staged;
  if (!(await commitStaged(store, staged, commit))) return 'beaten';
  return { session: childId, forkedFrom, plan, bytes, missingPayloads, repeated: false };
}

/** A child's id is another's too only when a key bound it. */
function stageChild(store: RunStore, { log, plan, childId, claimed }: Commit): StagedRun | 'beaten' {
  try {
    return store.stage(childId, { source: log, plan });
  } catch (error) {
    if (claimed !== null && error instanceof Failure && error.code === 'owned_elsewhere') return 'beaten';
    throw error;
  }
}

/** Binds the key last, before the rename; false when another process bound it, or put the child there, first. */
async function commitStaged(store: RunStore, staged: StagedRun, commit: Commit): Promise<boolean> {
  const { hash, claimed, options, childId } = commit;
  let beaten = false;
  const bindKey = (): void => {
    if (hash === null) return;
    const record = { child: childId, request: requestDigestOf(options) };
    beaten = claimed === null ? !store.claimKey(hash, record) : store.read(childId) !== null;
    if (beaten) throw new Error('another process with this idempotency key was first');
  };
  try {
    await staged.commit(bindKey);
  } catch (error) {
    if (!beaten) throw error;
  }
  return !beaten;
}

function refuseBusy(what: string): Refusal {
  return refuse('owned_elsewhere', `${what}; try again`);
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

/** How long a second caller waits for the first one's child to appear. */
const WAIT_MS = 10_000;

/** What a key stands for, once whoever is building its child has finished or died; null when it stands for nothing. */
async function awaitKeyed(
  store: RunStore,
  hash: Digest,
  request: string,
): Promise<{ readonly record: KeyRecord; readonly made: boolean } | Refusal | null> {
  const record = store.readKey(hash);
  if (record === null) return null;
  if (record.request !== request) {
    return refuse('key_reused', `this idempotency key already made ${record.child} by another request; use a new key`, {
      child: record.child,
    });
  }
  // Retiring a key comes before its child's removal: while the child is there it answers.
  if (record.removed === true && store.read(record.child) === null) {
    return refuse('child_removed', `the child ${record.child} that this key made was removed; use a new key`, {
      child: record.child,
    });
  }
  const deadline = performance.now() + WAIT_MS;
  while (store.read(record.child) === null && store.isStaged(record.child)) {
    if (performance.now() > deadline) {
      return refuseBusy(`${record.child} is still being built by another process`);
    }
    await sleep(10);
  }
  return { record, made: store.read(record.child) !== null };
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
