/** Every place of a walk, as its events say: entries, calls, ways, items, passes, answers, and how each ended. */
import {
  type Decode,
  decoderOf,
  type ErrorInfo,
  type EventOf,
  type EventType,
  type Graph,
  type KnownEvent,
  knownEvent,
  type NodePath,
  nodeIdOf,
  type ToolOutcomeKind,
} from '@ramet/core';
import type { LogReader } from '../../store/index.ts';

/** `entered`: at work, or left at work. `waiting`: a gate without an answer. `delayed`: tried again at `retryAt`. */
export type NodeViewState = 'entered' | 'waiting' | 'delayed' | 'ok' | 'failed' | 'interrupted' | 'skipped';

export interface NodeView {
  readonly node: NodePath;
  readonly id: string;
  /** Null when the document is gone, or has no such node. */
  readonly kind: string | null;
  readonly state: NodeViewState;
  /** How often it was entered, and offset and time of each: what `fork --at` takes. */
  readonly visits: readonly { readonly offset: number; readonly time: string; readonly inherited: boolean }[];
  /** Offset of what ended it, or says that it was skipped. */
  readonly end?: { readonly offset: number; readonly time: string };
  readonly input?: unknown;
  readonly output?: unknown;
  readonly error?: ErrorInfo;
  readonly retryAt?: string;
  /** Why it was skipped. */
  readonly reason?: string;
  /** Of a branch. */
  readonly take?: string | null;
  /** Of a map: how many items, and how many are done. */
  readonly items?: { readonly count: number; readonly done: number; readonly failed: number };
  /** Of a fold: passes done. */
  readonly passes?: number;
  /** Of a gate; `offset` is that of its `gate.open`. */
  readonly gate?: {
    readonly offset: number;
    readonly question: string;
    readonly answerSchema: Readonly<Record<string, unknown>>;
    readonly answer?: unknown;
  };
  readonly calls: readonly NodeCallView[];
  /** The last one it took. */
  readonly checkpoint?: string;
}

export interface NodeCallView {
  /** Of its `tool.intent`. */
  readonly offset: number;
  readonly tool: string;
  readonly effect: string;
  readonly contained: boolean | string;
  readonly outcome: ToolOutcomeKind | 'open';
  readonly inherited: boolean;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Draft = Omit<Mutable<NodeView>, 'visits' | 'calls'> & {
  visits: NodeView['visits'][number][];
  calls: (Mutable<NodeCallView> & { readonly callId: string })[];
};

interface Walk {
  readonly nodes: Map<NodePath, Draft>;
  readonly through: number;
  readonly decode: Decode;
}

export interface WalkRange {
  /** The last event to read. */
  readonly to: number;
  /** The last inherited event; -1 without any. */
  readonly through: number;
  readonly graph: Graph | null;
}

/** The places of a walk, in the order in which they were first met. */
export function walkNodes(reader: LogReader, { to, through, graph }: WalkRange): readonly NodeView[] {
  const walk: Walk = { nodes: new Map(), through, decode: decoderOf(reader) };
  for (const logged of reader.readEvents({ to })) {
    const event = logged.node === undefined ? null : knownEvent(logged);
    if (event?.node === undefined) continue;
    (FOLLOWERS[event.type] as Follower<EventType> | undefined)?.(draftOf(walk, event.node, graph), event, walk);
  }
  return [...walk.nodes.values()].map(({ calls, ...node }) => ({
    ...node,
    calls: calls.map(({ callId: _, ...call }) => call),
  }));
}

function draftOf({ nodes }: Walk, node: NodePath, graph: Graph | null): Draft {
  const known = nodes.get(node);
  if (known !== undefined) return known;
  const id = nodeIdOf(node);
  const kind = graph?.nodes.get(id)?.node.kind ?? null;
  const draft: Draft = { node, id, kind, state: 'entered', visits: [], calls: [] };
  nodes.set(node, draft);
  return draft;
}

type Follower<T extends EventType> = (draft: Draft, event: EventOf<T>, walk: Walk) => void;

const FOLLOWERS: { readonly [T in EventType]?: Follower<T> } = {
  'node.enter': (draft, event, walk) => {
    const { seq: offset, time } = event;
    for (const name of ['end', 'error', 'retryAt', 'reason'] as const) delete draft[name];
    const isOpen = draft.gate !== undefined && !('answer' in draft.gate);
    draft.state = isOpen ? 'waiting' : 'entered';
    draft.input = walk.decode(event.input);
    draft.visits.push({ offset, time, inherited: offset <= walk.through });
  },
  'node.exit': (draft, event, { decode }) => {
    draft.state = event.outcome === 'failed' && event.retryAt !== undefined ? 'delayed' : event.outcome;
    draft.end = placeOf(event);
    if (event.outcome === 'ok') draft.output = decode(event.output);
    if (event.error !== undefined) draft.error = decode(event.error) as ErrorInfo;
    if (event.retryAt !== undefined) draft.retryAt = event.retryAt;
  },
  'node.skip': (draft, event, { decode }) => {
    draft.state = 'skipped';
    draft.end = placeOf(event);
    draft.reason = String(decode(event.reason));
  },
  'branch.take': (draft, { take }) => {
    draft.take = take;
  },
  'map.open': (draft, { count }) => {
    draft.items ??= { count, done: 0, failed: 0 };
  },
  'map.item': (draft, { outcome }) => {
    const { count, done, failed } = draft.items ?? { count: 0, done: 0, failed: 0 };
    draft.items = { count, done: done + 1, failed: failed + (outcome === 'failed' ? 1 : 0) };
  },
  'fold.pass': (draft, { pass }) => {
    draft.passes = pass;
  },
  'gate.open': (draft, event, { decode }) => {
    const answerSchema = decode(event.answerSchema) as Readonly<Record<string, unknown>>;
    draft.gate = { offset: event.seq, question: String(decode(event.question)), answerSchema };
    draft.state = 'waiting';
  },
  'gate.answer': (draft, event, { decode }) => {
    if (draft.gate?.offset !== event.gate) return;
    draft.gate = { ...draft.gate, answer: decode(event.answer) };
    draft.state = 'entered';
  },
  'tool.intent': (draft, { seq: offset, callId, tool, effect, contained }, { through }) => {
    draft.calls.push({ offset, callId, tool, effect, contained, outcome: 'open', inherited: offset <= through });
  },
  'tool.result': (draft, { callId, outcome }) => {
    const call = draft.calls.findLast((candidate) => candidate.callId === callId);
    if (call !== undefined) call.outcome = outcome;
  },
  'workspace.checkpoint': (draft, { id }) => {
    draft.checkpoint = id;
  },
};

function placeOf({ seq: offset, time }: Pick<KnownEvent, 'seq' | 'time'>): { offset: number; time: string } {
  return { offset, time };
}
