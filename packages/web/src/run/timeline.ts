/**
 * A run at any moment of its log: core's fold of its places, with snapshots on the way.
 *
 * 1. A moment is the same whether it is folded from the beginning, from a snapshot, or as the log grew.
 * 2. There are at most `MOST_SNAPSHOTS`: as a log grows they stand further apart, so that memory stays within bounds and
 *    the way from a snapshot to a moment is a small share of the log.
 */
import type { LoggedEvent, NodePath } from '@ramet/core/events';
import type { Graph } from '@ramet/core/graph';
import { createNodeFold, type NodeFold, type NodeView } from '@ramet/core/runs';
import { decoderOf } from '@ramet/core/transcript';

export type Nodes = ReadonlyMap<NodePath, NodeView>;

/** How a run ended, as its last event of that kind says; null: it has not, or goes on after a failure. */
export type RunEnd = 'completed' | 'failed' | 'abandoned' | null;

/** A run as it was after an event. */
export interface Moment {
  /** Of that event; -1: before the first. */
  readonly offset: number;
  readonly nodes: Nodes;
  readonly end: RunEnd;
}

interface Snapshot {
  /** How many events were added. */
  readonly count: number;
  readonly nodes: Nodes;
  readonly end: RunEnd;
}

const FIRST_STEP = 256;
const MOST_SNAPSHOTS = 32;

/** Notes in place of payloads: what is looked at closely is read from its event. */
const decode = decoderOf({ readPayload: () => null });

const ENDS: Readonly<Record<string, RunEnd>> = {
  'run.complete': 'completed',
  'run.fail': 'failed',
  'run.abandon': 'abandoned',
  'node.enter': null,
};

/** Holds the moments of one log. */
export class Timeline {
  readonly #graph: Graph | null;
  #events: readonly LoggedEvent[] = [];
  #generation = -1;
  #fold: NodeFold | null = null;
  #end: RunEnd = null;
  #count = 0;
  #step = FIRST_STEP;
  #snapshots: Snapshot[] = [];
  #eventsOf = new Map<NodePath, number[]>();
  #latest: Moment = { offset: -1, nodes: new Map(), end: null };

  constructor(graph: Graph | null) {
    this.#graph = graph;
  }

  /** How many snapshots are held. */
  get snapshots(): number {
    return this.#snapshots.length;
  }

  /** Takes the log as it is now: from event 0 on; another generation is another log. Answers its last moment. */
  catchUp(events: readonly LoggedEvent[], generation: number): Moment {
    if (generation !== this.#generation || events.length < this.#count) this.#reset(generation);
    this.#events = events;
    if (events.length === this.#count) return this.#latest;
    this.#fold ??= this.#begin();
    while (this.#count < events.length) this.#add(this.#fold);
    this.#latest = { offset: this.#count - 1, nodes: new Map(this.#fold.nodes), end: this.#end };
    return this.#latest;
  }

  /** The moment after an event of the log. */
  at(offset: number): Moment {
    const count = Math.min(Math.max(offset + 1, 0), this.#count);
    if (count === this.#count) return this.#latest;
    const from = this.#snapshots.findLast((snapshot) => snapshot.count <= count);
    const fold = this.#begin(from?.nodes);
    let end = from?.end ?? null;
    for (const event of this.#events.slice(from?.count ?? 0, count)) {
      fold.add(event);
      end = endAfter(end, event);
    }
    return { offset: count - 1, nodes: fold.nodes, end };
  }

  /** Offsets of the events of a place, in order. */
  eventsOf(path: NodePath): readonly number[] {
    return this.#eventsOf.get(path) ?? [];
  }

  #begin(from?: Nodes): NodeFold {
    const through = inheritedThrough(this.#events[0]);
    return createNodeFold({ graph: this.#graph, through, decode, ...(from === undefined ? {} : { from }) });
  }

  #add(fold: NodeFold): void {
    const event = this.#events[this.#count];
    if (event === undefined) return;
    fold.add(event);
    this.#end = endAfter(this.#end, event);
    if (typeof event.node === 'string') {
      const offsets = this.#eventsOf.get(event.node);
      if (offsets === undefined) this.#eventsOf.set(event.node, [event.seq]);
      else offsets.push(event.seq);
    }
    this.#count += 1;
    if (this.#count % this.#step === 0) this.#keep(fold);
  }

  #keep(fold: NodeFold): void {
    this.#snapshots.push({ count: this.#count, nodes: new Map(fold.nodes), end: this.#end });
    if (this.#snapshots.length <= MOST_SNAPSHOTS) return;
    this.#step *= 2;
    this.#snapshots = this.#snapshots.filter(({ count }) => count % this.#step === 0);
  }

  #reset(generation: number): void {
    this.#generation = generation;
    this.#fold = null;
    this.#end = null;
    this.#count = 0;
    this.#step = FIRST_STEP;
    this.#snapshots = [];
    this.#eventsOf = new Map();
    this.#latest = { offset: -1, nodes: new Map(), end: null };
  }
}

function endAfter(end: RunEnd, { type }: LoggedEvent): RunEnd {
  const next = Object.hasOwn(ENDS, type) ? ENDS[type] : undefined;
  return next === undefined ? end : next;
}

/** The last event that a child inherited, as its event 0 says; -1 without a parent. */
export function inheritedThrough(first: LoggedEvent | undefined): number {
  const { offset } = (first?.forkedFrom ?? {}) as { readonly offset?: unknown };
  return first?.type === 'graph.start' && typeof offset === 'number' ? offset : -1;
}
