/** Drives a run through its walk alone: effects are answered by a function, crashes are a fold begun anew. */
import {
  type ActiveNode,
  canonicalJson,
  checkReplay,
  compileGraph,
  createRunFold,
  draftExit,
  type EventDraft,
  type Graph,
  type GraphBody,
  type GraphDocument,
  type GraphLimits,
  hashGraph,
  isGraphProblems,
  type LoggedEvent,
  type Moves,
  type NodeOutcome,
  type NodePath,
  nextMoves,
  type RunChanges,
  type RunFold,
  type RunOrigin,
  type RunState,
  validateGraph,
  ZERO_DIGEST,
} from '@ramet/core';
import { makeTestId, sha256, visitAmong } from '@ramet/testkit';

/** What becomes of an active node; null: it goes on being at work. */
export type Effect = (node: ActiveNode, state: RunState) => NodeOutcome | null;

const START_MS = Date.UTC(2030, 0, 1);

/** A document of these parts, which must be valid. */
export function makeGraph(body: GraphBody & { readonly limits?: GraphLimits }): Graph {
  const document: GraphDocument = { schema: 1, ...body };
  const valid = validateGraph(document);
  if (isGraphProblems(valid)) throw new Error(JSON.stringify(valid));
  return compileGraph(valid, hashGraph(valid, sha256));
}

/** The first event of a run. */
function startOf(graph: Graph, input: unknown, extra: object = {}): EventDraft {
  return {
    type: 'graph.start',
    schema: 1,
    id: makeTestId(1),
    graph: graph.hash,
    input,
    project: null,
    cwd: '/',
    workspace: 'none',
    versions: {},
    ...extra,
  };
}

/** An event as a reader of the log would have it. */
function logged(draft: EventDraft, seq: number, timeMs = START_MS): LoggedEvent {
  const time = new Date(timeMs).toISOString();
  return JSON.parse(JSON.stringify({ seq, prev: '', time, ...draft })) as LoggedEvent;
}

/** Each tool and agent puts out what it was given. */
const echo: Effect = ({ input }) => ({ kind: 'ok', output: input });

export class Simulator {
  readonly graph: Graph;
  readonly events: LoggedEvent[];
  readonly limits: GraphLimits;
  nowMs = START_MS;
  taken = new Set<NodePath>();
  undoes: number | undefined;
  #fold: RunFold;

  constructor(graph: Graph, events: readonly LoggedEvent[], limits: GraphLimits = {}) {
    this.graph = graph;
    this.events = [...events];
    this.limits = limits;
    this.#fold = this.#refold();
  }

  static start(graph: Graph, input: unknown = null, limits: GraphLimits = {}): Simulator {
    return new Simulator(graph, [logged(startOf(graph, input), 0)], limits);
  }

  /** A child that walks again from one of this run's `node.enter`. */
  fork(path: NodePath, change: { readonly attempt?: number; readonly changes?: RunChanges } = {}): Simulator {
    const { attempt = 1, changes } = change;
    const enters = this.events.filter(({ type, node }) => type === 'node.enter' && node === path);
    const entered = this.events.flatMap(({ type, node = '' }) => (type === 'node.enter' ? [node] : []));
    const boundary = enters[attempt - 1]?.seq ?? 0;
    if (boundary === 0) throw new Error(`${path} was never entered ${attempt} times`);
    const forkedFrom: RunOrigin = {
      id: makeTestId(1),
      offset: boundary - 1,
      digest: ZERO_DIGEST,
      fromNode: path,
      visit: visitAmong(entered, path),
      graphHash: this.graph.hash,
      sourceEvent0Digest: ZERO_DIGEST,
      acknowledgedWrites: [],
      time: new Date(this.nowMs).toISOString(),
      ...(changes === undefined ? {} : { changes }),
    };
    const start = logged(startOf(this.graph, this.state.input, { id: makeTestId(2), forkedFrom }), 0);
    return new Simulator(this.graph, [start, ...this.events.slice(1, boundary)], this.limits);
  }

  get state(): RunState {
    return this.#fold.state;
  }

  /** What the log says now, as `type path` lines. */
  get story(): readonly string[] {
    return this.events.map(({ type, node }) => (node === undefined ? type : `${type} ${node}`));
  }

  moves(): Moves {
    const { graph, state, nowMs, taken, limits, undoes } = this;
    return nextMoves(graph, state, {
      decode: (value) => value,
      sha256,
      nowMs,
      taken,
      limits,
      ...(undoes === undefined ? {} : { undoes }),
    });
  }

  append(drafts: readonly EventDraft[]): void {
    for (const draft of drafts) {
      const first = this.state.events === this.state.inheritedThrough + 1 && this.state.forkedFrom !== undefined;
      const named = first ? { ...draft, event0: ZERO_DIGEST } : draft;
      const event = logged(named, this.events.length, this.nowMs);
      this.events.push(event);
      this.#fold.add(event);
      if (draft.type === 'node.enter') this.taken.add(draft.node ?? '');
      if (draft.type === 'node.exit') this.taken.delete(draft.node ?? '');
    }
  }

  /** Appends drafts until none is left. */
  settle(): Moves {
    for (let rounds = 0; rounds < 100_000; rounds += 1) {
      const moves = this.moves();
      if (moves.drafts.length === 0) return moves;
      this.append(moves.drafts);
    }
    throw new Error('the walk never comes to an end of drafts');
  }

  exit(path: NodePath, outcome: NodeOutcome = { kind: 'ok', output: null }): void {
    this.append([draftExit(this.graph, this.state, { path, outcome, nowMs: this.nowMs })]);
  }

  /** Stops what is to be stopped. */
  stop(moves: Moves): void {
    for (const path of moves.stopping) this.exit(path, { kind: 'interrupted' });
  }

  answer(path: NodePath, answer: unknown): void {
    const gate = this.settle().gates.find((open) => open.path === path);
    if (gate === undefined) throw new Error(`no open gate ${path}`);
    this.append([{ type: 'gate.answer', node: path, gate: gate.offset, answer, by: 'person' }]);
  }

  /** Goes on, first node first, until nothing is left that is neither a person's nor `null` of the effect's. */
  run(effect: Effect = echo): Moves {
    for (let rounds = 0; rounds < 100_000; rounds += 1) {
      const moves = this.settle();
      this.stop(moves);
      const [next] = moves.stopping.length > 0 ? [] : this.#outcomes(moves, effect);
      if (next !== undefined) this.exit(next.path, next.outcome);
      else if (moves.stopping.length === 0 && !this.#wait(moves)) return moves;
    }
    throw new Error('the run never comes to an end');
  }

  /** The process dies: another one takes the log up. */
  crash(): void {
    this.taken = new Set();
    this.#fold = this.#refold();
  }

  /** Takes the run up after it failed. */
  resume(): void {
    this.crash();
    this.undoes = this.state.failedAt;
  }

  divergence(): EventDraft | null {
    return checkReplay(this.state, { decode: (value) => value, sha256 });
  }

  entries(path: NodePath): number {
    return this.events.filter(({ type, node }) => type === 'node.enter' && node === path).length;
  }

  #outcomes(moves: Moves, effect: Effect): readonly { path: NodePath; outcome: NodeOutcome }[] {
    return moves.active.flatMap((node) => {
      const outcome = effect(node, this.state);
      return outcome === null ? [] : [{ path: node.path, outcome }];
    });
  }

  #wait(moves: Moves): boolean {
    const [first] = moves.delayed.map(({ retryAt }) => Date.parse(retryAt)).sort((a, b) => a - b);
    if (first === undefined || moves.active.length > 0) return false;
    this.nowMs = Math.max(this.nowMs, first);
    return true;
  }

  #refold(): RunFold {
    const fold = createRunFold(this.graph);
    for (const event of this.events) fold.add(event);
    return fold;
  }
}

/** Short and the same for the same input. */
export function digestOf(value: unknown): string {
  return sha256(canonicalJson(value)).slice(0, 12);
}

/** A checkpoint that a node took. */
export function checkpoint(node: NodePath, id = `of ${node}`): EventDraft {
  return {
    type: 'workspace.checkpoint',
    node,
    id,
    files: 0,
    bytes: 0,
    head: '',
    commit: null,
    operation: null,
    leftOut: [],
    changed: { added: 0, modified: 0, deleted: 0, paths: [] },
  };
}
