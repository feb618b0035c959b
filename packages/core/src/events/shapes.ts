/**
 * Which fields each known event must have, checked when it is written and before it is folded.
 *
 * 1. A line whose type is unknown, or whose known type lacks a required field or has one of the wrong kind, is kept in
 *    the log and skipped by folds: a reader never guesses what a damaged or foreign event meant.
 * 2. Extra fields are never an error.
 */
import { parseDigest, parseRunId } from './ids.ts';
import type { EventBodies, EventDraft, EventType, KnownEvent, LoggedEvent } from './types.ts';

type FieldCheck = (value: unknown) => boolean;
/** Holds for a field that is absent, too. */
type OptionalCheck = FieldCheck & { readonly optional: true };
type Shape<T extends EventType> = {
  readonly [K in keyof EventBodies[T]]-?: Record<never, never> extends Pick<EventBodies[T], K>
    ? OptionalCheck
    : FieldCheck;
};

const text: FieldCheck = (value) => typeof value === 'string';
const textOrNull: FieldCheck = (value) => value === null || typeof value === 'string';
const count: FieldCheck = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const flag: FieldCheck = (value) => typeof value === 'boolean';
const list: FieldCheck = Array.isArray;
const object: FieldCheck = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const anything: FieldCheck = (value) => value !== undefined;
const runId: FieldCheck = (value) => parseRunId(value) !== null;
const digest: FieldCheck = (value) => parseDigest(value) !== null;
const oneOf =
  (...values: readonly unknown[]): FieldCheck =>
  (value) =>
    values.includes(value);

const workspaceKind = oneOf('git', 'overlay', 'directory', 'none');
const contained = oneOf(true, false, 'unless_egress');
const effect = oneOf('read', 'idempotent', 'write');
const purpose = oneOf('turn', 'compact', 'title');
const toolOutcome = oneOf('ok', 'error', 'denied', 'interrupted', 'outcome_unknown');
const modelRef: FieldCheck = (value) => object(value) && text((value as { name?: unknown }).name);
const payload: FieldCheck = (value) => object(value) && parseDigest((value as { $blob?: unknown }).$blob) !== null;
const textOrPayload: FieldCheck = (value) => text(value) || payload(value);
const listOf =
  (check: FieldCheck): FieldCheck =>
  (value) =>
    Array.isArray(value) && value.every(check);
const contentOf = (value: unknown): unknown => (object(value) ? (value as { content?: unknown }).content : undefined);
const runOrigin: FieldCheck = (value) => {
  if (!object(value)) return false;
  const origin = value as Readonly<Record<string, unknown>>;
  return (
    runId(origin.id) &&
    [origin.offset, origin.visit].every(count) &&
    [origin.digest, origin.graphHash, origin.sourceEvent0Digest].every(digest) &&
    [origin.fromNode, origin.time].every(text) &&
    listOf(count)(origin.acknowledgedWrites)
  );
};
const nodeOrigin: FieldCheck = (value) => {
  if (!object(value)) return false;
  const { id, digest: line, fromNode, ...counts } = value as Readonly<Record<string, unknown>>;
  const { offset, visit, attempt, from, through } = counts;
  return runId(id) && digest(line) && text(fromNode) && [offset, visit, attempt, from, through].every(count);
};
const userMessage: FieldCheck = (value) => textOrPayload(contentOf(value)) || list(contentOf(value));
const assistantMessage: FieldCheck = (value) => listOf(object)(contentOf(value));
const maybe = (check: FieldCheck): OptionalCheck =>
  Object.assign((value: unknown) => value === undefined || check(value), { optional: true as const });

/** Total at compile time: a new event type without a shape does not compile. */
const SHAPES: { readonly [T in EventType]: Shape<T> } = {
  'session.start': {
    schema: count,
    id: runId,
    project: textOrNull,
    cwd: text,
    workspace: workspaceKind,
    versions: object,
    title: maybe(text),
    forkedFrom: maybe(nodeOrigin),
    key: maybe(text),
  },
  'session.config': {
    schema: count,
    model: modelRef,
    tools: list,
    permissions: list,
    sandbox: text,
    allowNet: list,
    instructions: list,
  },
  'workspace.open': {
    kind: workspaceKind,
    base: textOrNull,
    branch: textOrNull,
    carried: list,
    copied: list,
    leftOut: list,
    dirty: object,
    path: maybe(text),
  },
  'workspace.checkpoint': {
    id: text,
    files: count,
    bytes: count,
    head: text,
    commit: textOrNull,
    operation: textOrNull,
    leftOut: list,
    changed: object,
  },
  'workspace.restore': {
    checkpoint: textOrNull,
    outcome: oneOf('restored', 'fresh', 'shared'),
    carried: list,
    reason: maybe(textOrPayload),
  },
  message: { message: userMessage, notices: maybe(listOf(textOrPayload)), key: maybe(text), request: maybe(digest) },
  'model.request': { digest, model: text, attempt: count, purpose },
  'model.response': {
    model: text,
    attempt: count,
    purpose,
    message: maybe(assistantMessage),
    finishReason: maybe(text),
    usage: maybe(object),
    cost: maybe(object),
    error: maybe(object),
  },
  'tool.intent': {
    callId: text,
    tool: text,
    input: anything,
    effect,
    contained,
    key: text,
    attempt: maybe(count),
    acknowledged: maybe(count),
  },
  'tool.result': {
    callId: text,
    tool: text,
    outcome: toolOutcome,
    output: object,
    egress: maybe(listOf(textOrPayload)),
    receipt: maybe(object),
  },
  'tool.resolve': {
    callId: text,
    intent: count,
    resolution: oneOf('happened', 'did_not_happen', 'retry'),
    output: maybe(object),
  },
  'approval.request': {
    callId: text,
    tool: text,
    input: anything,
    reason: textOrPayload,
    outstanding: maybe(listOf(object)),
  },
  'approval.answer': {
    callId: text,
    answer: oneOf('allow', 'deny', 'reuse'),
    by: oneOf('person', 'flag', 'rule', 'nobody'),
    scope: oneOf('once', 'session'),
  },
  'context.compact': { summary: textOrPayload, through: count },
  'session.title': { title: text },
  'log.repair': { kept: flag, droppedBytes: count },
  'session.end': {
    reason: oneOf('completed', 'interrupted', 'failed', 'limit'),
    checkpoint: text,
    why: maybe(textOrPayload),
    error: maybe(object),
  },
  'session.fork': {
    id: runId,
    parent: runId,
    offset: count,
    digest,
    cwd: text,
    title: maybe(text),
    outstanding: maybe(listOf(object)),
    key: maybe(text),
  },
  'graph.start': {
    schema: count,
    id: runId,
    graph: digest,
    input: anything,
    project: textOrNull,
    cwd: text,
    workspace: workspaceKind,
    versions: object,
    title: maybe(text),
    labels: maybe(object),
    forkedFrom: maybe(runOrigin),
    rewalk: maybe((value) => listOf(object)(value) || payload(value)),
    key: maybe(text),
  },
  'node.enter': { attempt: count, input: anything, inputDigest: digest },
  'node.exit': {
    attempt: count,
    outcome: oneOf('ok', 'failed', 'interrupted'),
    output: maybe(anything),
    error: maybe(object),
    retryAt: maybe(text),
  },
  'node.skip': { reason: textOrPayload },
  'branch.take': { take: textOrNull, by: oneOf('condition', 'otherwise', 'model') },
  'map.open': { count },
  'map.item': { index: count, outcome: oneOf('ok', 'failed'), output: maybe(anything), error: maybe(object) },
  'fold.pass': { pass: count, output: anything, done: flag },
  'gate.open': { question: textOrPayload, answerSchema: object },
  'gate.answer': { gate: count, answer: anything, by: oneOf('person', 'flag') },
  now: { value: text },
  random: { value: (value) => typeof value === 'number' },
  'run.complete': { output: anything },
  'run.fail': { error: object },
  'run.abandon': { reason: maybe(textOrPayload) },
};

const CHECKS = new Map<string, readonly (readonly [string, FieldCheck])[]>(
  Object.entries(SHAPES).map(([type, shape]) => [type, Object.entries<FieldCheck>(shape)]),
);

/** Every known type. */
export const EVENT_TYPES = Object.keys(SHAPES) as readonly EventType[];

/** The event if its type is known, every required field is there and each is of its kind; null otherwise. */
export function knownEvent(event: LoggedEvent): KnownEvent | null {
  return problemsOf(event).length === 0 ? (event as unknown as KnownEvent) : null;
}

/** Names of fields that are required and missing, or of the wrong kind; `['type']` when the type is unknown. */
export function problemsOf(event: LoggedEvent | EventDraft): readonly string[] {
  const checks = CHECKS.get(event.type);
  if (checks === undefined) return ['type'];
  const fields = event as unknown as Readonly<Record<string, unknown>>;
  // The good case allocates nothing: every line of every fold passes here.
  if (checks.every(([name, check]) => check(fields[name]))) return NO_PROBLEMS;
  return checks.filter(([name, check]) => !check(fields[name])).map(([name]) => name);
}

const NO_PROBLEMS: readonly string[] = [];

/** Whether this version knows a type. */
export function isEventType(type: string): type is EventType {
  return CHECKS.has(type);
}
