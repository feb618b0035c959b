/**
 * What is next in a graph run, from its graph and state alone (docs/graphs.md, "The walk").
 *
 * 1. Costs what there is to do: nodes that finished long ago are not looked at.
 * 2. Never throws for what a document or a log says: such an error fails the node, item or run it is met in.
 * 3. In what has failed for good nothing is begun; nodes at work there are stopped, and only then it fails as a whole.
 */
import { invariant } from '../../../codes/index.ts';
import type { Graph } from '../../document/graph.ts';
import { findOpenGates, hasUnknownCall, unknownCallOf } from '../standing.ts';
import { isHeldBy, keysAround } from '../state/failures.ts';
import type { Task, WalkedNode } from '../state/progress.ts';
import type { ActiveNode, Moves, RunState, WalkOptions } from '../types.ts';
import { decodedOf } from '../values.ts';
import { finishBody } from './body-moves.ts';
import { endFailedParts, failRun, stopLeft } from './failed-moves.ts';
import { findLimit } from './limits.ts';
import { enterNode, moveNode, skipNode } from './node-moves.ts';
import { type Entry, makeWalk, type Walk } from './walk.ts';

const NO_MOVES: Moves = { drafts: [], active: [], stopping: [], delayed: [], gates: [], unknown: [] };

/** Derives what is next: drafts to append, or else what is at work and what is waited for. */
export function nextMoves(graph: Graph, state: RunState, options: WalkOptions): Moves {
  invariant(state.graph === graph.hash, `run ${state.id} walks graph ${state.graph}, not ${graph.hash}`);
  const { status, failedAt } = state;
  if (status !== 'running' && !(status === 'failed' && failedAt === options.undoes)) return NO_MOVES;
  const walk = makeWalk(state, options);
  finishBodies(walk);
  moveNodes(walk);
  return walk.drafts.length > 0 ? { ...NO_MOVES, drafts: walk.drafts } : listMoves(walk);
}

/** First: what a body puts out may have no value, and then nothing more is begun beside it. */
function finishBodies(walk: Walk): void {
  for (const { body, id } of walk.state.progress.tasks.values()) {
    if (id === null && !isHeldBy(walk.failing, body)) finishBody(walk, body);
  }
}

function moveNodes(walk: Walk): void {
  const entries: Entry[] = [];
  for (const task of walk.state.progress.tasks.values()) {
    if (task.id !== null && !isHeldBy(walk.failing, task.body)) moveTask(walk, task, entries);
  }
  for (const node of [...walk.left, ...walk.state.progress.delayed]) {
    if (isToEnterAgain(walk, node)) entries.push(entryOf(node));
  }
  const limit = findLimit(walk, entries.length);
  if (limit === null) for (const entry of entries) enterNode(walk, entry);
  else failRun(walk, limit);
  stopLeft(walk);
  endFailedParts(walk);
}

/** Records what follows for one node, or adds it to those that are to be entered. */
function moveTask(walk: Walk, { body, id }: Task, entries: Entry[]): void {
  const placed = walk.state.progress.graph.nodes.get(id ?? '');
  const node = body.nodes.get(id ?? '');
  if (placed === undefined) return;
  if (node?.status === 'running') moveNode(walk, node);
  else if (node !== undefined) entries.push(entryOf(node));
  else if (placed.incoming.length === 0 || body.edges.get(placed.id)?.live) entries.push({ body, placed, attempt: 1 });
  else skipNode(walk, body, placed);
}

function entryOf({ body, placed, attempt }: WalkedNode): Entry {
  return { body, placed, attempt: attempt + 1 };
}

/** Whether a node was left by its owner and waits for nobody (W7), or waited for a time that has come (W8). */
function isToEnterAgain({ options, failing }: Walk, node: WalkedNode): boolean {
  const waits = node.status === 'delayed' ? isLater(node, options.nowMs) : hasUnknownCall(node);
  return !waits && !isHeldBy(failing, node.body);
}

function isLater({ retryAt }: WalkedNode, nowMs: number): boolean {
  return retryAt !== undefined && Date.parse(retryAt) > nowMs;
}

/** What there is besides drafts. */
function listMoves(walk: Walk): Moves {
  const { state, failing, driven, left } = walk;
  const stopping =
    failing.size === 0 ? [] : driven.filter(({ body }) => keysAround(body).some((key) => failing.has(key)));
  return {
    drafts: [],
    active: driven.map((node) => activeNode(walk, node)),
    stopping: stopping.map(({ path }) => path),
    delayed: [...state.progress.delayed].map(({ path, retryAt = '' }) => ({ path, retryAt })),
    gates: findOpenGates(state),
    unknown: left.flatMap(unknownCallOf),
  };
}

function activeNode(walk: Walk, { path, id, attempt, input }: WalkedNode): ActiveNode {
  return { path, id, attempt, input: decodedOf(walk, input) };
}
