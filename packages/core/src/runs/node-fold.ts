/**
 * Every place of a walk, folded from the events of a run: entries, calls, ways, items, passes, answers, and how each
 * ended.
 *
 * 1. A view never changes; an event of a place makes another. So a copy of the map is a snapshot, and costs no more.
 * 2. Places stand in the order in which they were first met.
 */
import {
  type ErrorInfo,
  type EventOf,
  type EventType,
  type KnownEvent,
  knownEvent,
  type LoggedEvent,
  type NodePath,
  nodeIdOf,
} from '../events/index.ts';
import type { Graph } from '../graph/index.ts';
import type { Decode } from '../session/index.ts';
import type { NodeView } from './node-view.ts';

export interface NodeFoldOptions {
  /** Null when the document cannot be read. */
  readonly graph: Graph | null;
  /** The last inherited event; -1 without any. */
  readonly through: number;
  readonly decode: Decode;
  /** The places after the events that were added before; absent: none. */
  readonly from?: ReadonlyMap<NodePath, NodeView>;
}

/** The places of a walk, event by event. */
export interface NodeFold {
  readonly nodes: ReadonlyMap<NodePath, NodeView>;
  /** Adds the next event; one that is of no node says nothing here. */
  add(event: LoggedEvent): void;
}

/** Begins a fold. */
export function createNodeFold({ graph, through, decode, from }: NodeFoldOptions): NodeFold {
  const nodes = new Map(from);
  const context = { through, decode };
  return {
    nodes,
    add(logged) {
      const event = logged.node === undefined ? null : knownEvent(logged);
      if (event?.node === undefined) return;
      const follow = FOLLOWERS[event.type] as Follower<EventType> | undefined;
      if (follow === undefined) return;
      nodes.set(event.node, follow(nodes.get(event.node) ?? beginView(event.node, graph), event, context));
    },
  };
}

function beginView(node: NodePath, graph: Graph | null): NodeView {
  const id = nodeIdOf(node);
  const kind = graph?.nodes.get(id)?.node.kind ?? null;
  return { node, id, kind, state: 'entered', visits: [], calls: [] };
}

interface Context {
  readonly through: number;
  readonly decode: Decode;
}

type Follower<T extends EventType> = (view: NodeView, event: EventOf<T>, context: Context) => NodeView;

const FOLLOWERS: { readonly [T in EventType]?: Follower<T> } = {
  'node.enter': (view, { seq: offset, time, input }, { through, decode }) => {
    const { end: _, error: __, retryAt: ___, reason: ____, ...kept } = view;
    const isOpen = view.gate !== undefined && !('answer' in view.gate);
    const visits = [...view.visits, { offset, time, inherited: offset <= through }];
    return { ...kept, state: isOpen ? 'waiting' : 'entered', input: decode(input), visits };
  },
  'node.exit': (view, event, { decode }) => ({
    ...view,
    state: event.outcome === 'failed' && event.retryAt !== undefined ? 'delayed' : event.outcome,
    end: placeOf(event),
    ...(event.outcome === 'ok' ? { output: decode(event.output) } : {}),
    ...(event.error === undefined ? {} : { error: decode(event.error) as ErrorInfo }),
    ...(event.retryAt === undefined ? {} : { retryAt: event.retryAt }),
  }),
  'node.skip': (view, event, { decode }) => ({
    ...view,
    state: 'skipped',
    end: placeOf(event),
    reason: String(decode(event.reason)),
  }),
  'branch.take': (view, { take }) => ({ ...view, take }),
  'map.open': (view, { count }) => ({ ...view, items: view.items ?? { count, done: 0, failed: 0 } }),
  'map.item': (view, { outcome }) => {
    const { count, done, failed } = view.items ?? { count: 0, done: 0, failed: 0 };
    return { ...view, items: { count, done: done + 1, failed: failed + (outcome === 'failed' ? 1 : 0) } };
  },
  'fold.pass': (view, { pass }) => ({ ...view, passes: pass }),
  'gate.open': (view, event, { decode }) => {
    const answerSchema = decode(event.answerSchema) as Readonly<Record<string, unknown>>;
    const gate = { offset: event.seq, question: String(decode(event.question)), answerSchema };
    return { ...view, gate, state: 'waiting' };
  },
  'gate.answer': (view, event, { decode }) => {
    if (view.gate?.offset !== event.gate) return view;
    return { ...view, gate: { ...view.gate, answer: decode(event.answer) }, state: 'entered' };
  },
  'tool.intent': (view, { seq: offset, callId, tool, effect, contained }, { through }) => {
    const call = { offset, callId, tool, effect, contained, outcome: 'open', inherited: offset <= through } as const;
    return { ...view, calls: [...view.calls, call] };
  },
  'tool.result': (view, { callId, outcome }) => {
    const at = view.calls.findLastIndex((call) => call.callId === callId);
    return { ...view, calls: view.calls.map((call, index) => (index === at ? { ...call, outcome } : call)) };
  },
  'workspace.checkpoint': (view, { id }) => ({ ...view, checkpoint: id }),
};

function placeOf({ seq: offset, time }: Pick<KnownEvent, 'seq' | 'time'>): { offset: number; time: string } {
  return { offset, time };
}
