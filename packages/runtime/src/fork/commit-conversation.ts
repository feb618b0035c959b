/**
 * Makes a session of the conversation an agent's node of a graph run had. Everything that can be said no to is said before
 * anything is made.
 *
 * 1. The run is locked shared from the check to the commit, or owned by this very process. It is only read.
 * 2. The session is there whole or not at all; it holds what it needs of the run, which may be removed.
 * 3. A damaged run is refused: whether the node went on after the damage nobody knows.
 */
import {
  CHAIN_START,
  type ConversationPlan,
  canonicalJson,
  type Decode,
  type Digest,
  decodeValue,
  deriveSessionOverview,
  type EventDraft,
  encodeNext,
  Failure,
  isRefusal,
  knownEvent,
  type NodeOrigin,
  planConversation,
  type Refusal,
  type RunId,
  refuse,
  SCHEMA,
  takeConversation,
} from '@ramet/core';
import { type RunStore, refuseDamaged, type SharedLog, sha256 } from '../store/index.ts';
import { FILE_TOOLS } from '../tools/names.ts';
import type { ForkContext } from './commit-fork.ts';
import type { ConversationCommit, ConversationResult } from './conversation-types.ts';
import { type Attempt, commitChild, forkWithKey } from './keyed-fork.ts';

/** Makes a session of a node's conversation. */
export async function forkConversation(
  context: ForkContext,
  source: RunId,
  options: ConversationCommit,
): Promise<ConversationResult | Refusal> {
  const request = { source, ...keyOf(options), digest: requestDigestOf(options) };
  return forkWithKey(context.store, request, {
    once: (attempt) => forkOnce(context, options, attempt),
    describeRepeated: (session) => describeRepeated(context.store, session),
  });
}

async function forkOnce(
  { store, makeId }: ForkContext,
  options: ConversationCommit,
  attempt: Attempt,
): Promise<ConversationResult | Refusal | 'beaten'> {
  const log = await store.share(attempt.request.source);
  if (isRefusal(log)) return log;
  try {
    const found = readConversation(log, options);
    if (isRefusal(found)) return found;
    const id = attempt.claimed ?? makeId();
    const drafts = [draftStart(found, { id, ...keyOf(options) }), ...found.taken];
    if (options.dryRun === true) return describe(null, found, { own: measure(drafts), shared: 0 });
    const made = await commitChild(store, attempt, { id, drafts });
    return made === 'beaten' ? made : describe(id, found, made.bytes);
  } finally {
    log.close();
  }
}

interface Found {
  readonly plan: ConversationPlan;
  readonly origin: NodeOrigin;
  /** The events of the session after its first. */
  readonly taken: readonly EventDraft[];
}

function readConversation(log: SharedLog, options: ConversationCommit): Found | Refusal {
  const outline = log.readOutline();
  if (outline.damage !== null) return refuseDamaged(log.id, outline);
  const { sourceGraph: graph } = options;
  const plan = planConversation({ ...outline, graph, fileTools: FILE_TOOLS }, options);
  if (isRefusal(plan)) return plan;
  const events = log.readEvents({ to: plan.offset });
  const taken = takeConversation({ events, graph, decode: makeDecode(log) }, plan);
  if (isRefusal(taken)) return taken;
  const { segment, position, bytes } = plan.exit;
  const digest = sha256(outline.readLineBytes(segment, position, bytes));
  return { plan, taken, origin: describeOrigin(plan, { digest, through: taken.length }) };
}

function describeOrigin(
  plan: ConversationPlan,
  rest: { readonly digest: Digest; readonly through: number },
): NodeOrigin {
  const { source: id, offset, node: fromNode, visit, attempt, from } = plan;
  const { digest, through } = rest;
  return { id, offset, digest, fromNode, visit, attempt, from, through };
}

/** A part that was lost cannot be said again. */
function makeDecode(log: SharedLog): Decode {
  const readPayload = (digest: Digest): Uint8Array => {
    const bytes = log.readPayload(digest);
    if (bytes !== null && sha256(bytes) === digest) return bytes;
    const message = `run ${log.id} has lost a part of this conversation (payload ${digest}): no session can be made of it`;
    throw new Failure('log_damaged', `${message}; nothing was made`, { data: { id: log.id, payload: digest } });
  };
  return (value) => decodeValue(value, readPayload);
}

function draftStart({ plan, origin }: Found, child: { readonly id: RunId; readonly key?: string }): EventDraft {
  const { project, workspace, title } = plan;
  return {
    type: 'session.start',
    schema: SCHEMA,
    id: child.id,
    project,
    cwd: '',
    workspace,
    versions: { node: process.versions.node },
    ...(title === undefined ? {} : { title }),
    forkedFrom: origin,
    ...(child.key === undefined ? {} : { key: child.key }),
  };
}

function describe(
  session: RunId | null,
  { plan, origin, taken }: Found,
  bytes: ConversationResult['bytes'],
): ConversationResult {
  const { workspace: kind, project } = plan;
  return { session, forkedFrom: origin, project, ...describeTaken(kind, taken), bytes, repeated: false };
}

/** What the events that were taken amount to. */
function describeTaken(
  kind: ConversationResult['workspace']['kind'],
  taken: readonly EventDraft[],
): Pick<ConversationResult, 'turns' | 'workspace'> {
  const turns = taken.filter(({ type }) => type === 'message').length;
  const end = taken.findLast((draft) => draft.type === 'session.end');
  const record = taken.findLast((draft) => draft.type === 'workspace.checkpoint');
  if (end?.type !== 'session.end' || end.checkpoint === 'none') {
    const why = end?.type === 'session.end' ? end.why : undefined;
    return { turns, workspace: { kind, checkpoint: null, ...(why === undefined ? {} : { why }), leftOut: [] } };
  }
  const leftOut = record?.type === 'workspace.checkpoint' ? record.leftOut : [];
  return { turns, workspace: { kind, checkpoint: end.checkpoint, leftOut } };
}

/** Bytes of lines and payloads that would be written. */
function measure(drafts: readonly EventDraft[]): number {
  const time = new Date(0).toISOString();
  let chain = CHAIN_START;
  let bytes = 0;
  for (const draft of drafts) {
    const { line, next } = encodeNext(chain, { draft, time }, sha256);
    chain = next;
    bytes += line.bytes.length + 1 + line.payloads.reduce((sum, payload) => sum + payload.bytes.length, 0);
  }
  return bytes;
}

function keyOf({ idempotencyKey: key }: ConversationCommit): { readonly key?: string } {
  return key === undefined ? {} : { key };
}

/** Of all a request says; that of a fork of the run with the same key is another one. */
function requestDigestOf({ node, visit, item, at, title }: ConversationCommit): string {
  const where = { node: node ?? null, visit: visit ?? null, item: item ?? null, at: at ?? null };
  return sha256(canonicalJson({ as: 'session', ...where, title: title ?? null }));
}

/** Answers for a session that is there already, from its own log. */
function describeRepeated(store: RunStore, session: RunId): ConversationResult | Refusal {
  const log = store.read(session);
  const [event] = log?.readEvents({ from: 0, to: 0 }) ?? [];
  const start = event === undefined ? null : knownEvent(event);
  const overview = log === null ? null : deriveSessionOverview(log.readOutline().heads);
  if (log === null || overview === null || start?.type !== 'session.start' || start.forkedFrom === undefined) {
    const message = `the session ${session} that this key made cannot be read`;
    return refuse('log_damaged', message, { child: session });
  }
  const { project, workspace, forkedFrom } = start;
  const decode = (value: unknown): unknown => decodeValue(value, log.readPayload);
  const taken = [...log.readEvents({ from: 1, to: forkedFrom.through })].map((line) => decode(line) as EventDraft);
  const bytes = { own: overview.bytes, shared: 0 };
  return { session, forkedFrom, project, ...describeTaken(workspace, taken), bytes, repeated: true };
}
