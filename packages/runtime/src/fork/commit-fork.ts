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
import {
  type KeyRecord,
  type LogOutline,
  type RunStore,
  refuseDamaged,
  type SharedLog,
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
  const hash = options.idempotencyKey === undefined ? null : forkKeyOf(source, options.idempotencyKey);
  const known = hash === null ? null : await awaitKeyed(store, hash, requestDigestOf(options));
  if (isRefusal(known)) return known;
  if (known?.made) return describeRepeated(store, known.record.child);
  const log = await store.share(source);
  if (isRefusal(log)) return log;
  try {
    const plan = planOn(log, options);
    if (isRefusal(plan)) return plan;
    const childId = known?.record.child ?? context.makeId();
    return await commitPlan(store, { log, plan, options, childId, hash, claimed: known !== null });
  } finally {
    log.close();
  }
}

/** The hash a key file is named by. */
export function forkKeyOf(source: RunId, key: string): Digest {
  return sha256(canonicalJson(['fork', source, key]));
}

interface Commit {
  readonly log: SharedLog;
  readonly plan: ForkPlan;
  readonly options: ForkOptions;
  readonly childId: RunId;
  readonly hash: Digest | null;
  /** The key is bound to `childId` already: its first builder died. */
  readonly claimed: boolean;
}

async function commitPlan(store: RunStore, commit: Commit): Promise<ForkResult | Refusal> {
  const { log, plan, options, childId } = commit;
  const { position, bytes: length } = plan.boundary;
  const digest = sha256(log.readOutline().readLineBytes(plan.segment, position, length));
  const forkedFrom: ForkOrigin = { id: plan.source, offset: plan.boundary.offset, digest };
  if (options.dryRun === true) {
    const bytes = { own: plan.prefix.segmentBytes, shared: plan.prefix.bytes - plan.prefix.segmentBytes };
    return { session: null, forkedFrom, plan, bytes, repeated: false };
  }
  const staged = store.stage(childId, { source: log, plan });
  try {
    staged.append([draftFork(plan, { childId, forkedFrom, ...keyOf(options) })]);
  } catch (error) {
    staged.discard();
    throw error;
  }
  const { bytes } = staged;
  const record = { child: childId, request: requestDigestOf(options) };
  const lost = { race: false };
  await staged
    .commit(() => {
      if (commit.hash === null || commit.claimed || store.claimKey(commit.hash, record)) return;
      lost.race = true;
      throw new Error('another process bound the idempotency key first');
    })
    .catch((error: unknown) => {
      if (!lost.race) throw error;
    });
  if (lost.race) return followWinner(store, commit, record.request);
  return { session: childId, forkedFrom, plan, bytes, repeated: false };
}

/** Two processes used one key at once: the other's child is the answer. */
async function followWinner(store: RunStore, commit: Commit, request: string): Promise<ForkResult | Refusal> {
  const known = commit.hash === null ? null : await awaitKeyed(store, commit.hash, request);
  if (isRefusal(known)) return known;
  if (known?.made) return describeRepeated(store, known.record.child);
  return refuse('owned_elsewhere', `another fork of ${commit.plan.source} with this key died; try again`);
}

function planOn(log: SharedLog, options: ForkOptions): ForkPlan | Refusal {
  const outline = log.readOutline();
  const { damage } = outline;
  // Of a damaged log nobody knows the latest turn, and nothing at or after the damage exists.
  if (damage !== null && (options.at === undefined || options.at >= damage.offset))
    return refuseDamaged(log.id, outline);
  return planFork(outline, options);
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
  if (record.removed === true) {
    return refuse('child_removed', `the child ${record.child} that this key made was removed; use a new key`, {
      child: record.child,
    });
  }
  const deadline = performance.now() + WAIT_MS;
  while (store.read(record.child) === null && store.isStaged(record.child)) {
    if (performance.now() > deadline) {
      return refuse('owned_elsewhere', `${record.child} is still being built by another process; try again`);
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
  return { session: child, forkedFrom, plan, bytes: { own: 0, shared: plan.prefix.bytes }, repeated: true };
}

function firstForkOf(
  outline: LogOutline,
  child: RunId,
): { readonly at: number; readonly parent: RunId; readonly digest: Digest } | undefined {
  return outline.heads.flatMap((_, index) => outline.readDetail(index).forks).find((mark) => mark.id === child);
}
