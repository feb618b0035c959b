/**
 * Keeps a walk's bodies: opens them, decides edges as nodes finish, and drops what a finished body no longer needs.
 * Never reads events and never decides a move.
 */
import type { NodePath } from '../../../events/index.ts';
import { itemPathOf, nodePathOf, parseNodePath, passPathOf, splitNodePath } from '../../../events/index.ts';
import type { Graph, PlacedNode } from '../../document/graph.ts';
import type { GraphEdge } from '../../document/types.ts';
import type { RunDraft, WalkedBody, WalkedNode, WalkProgress } from './progress.ts';

/** A walk at its start: the document's own body, with the nodes that wait for none. */
export function makeProgress(graph: Graph): WalkProgress {
  const root = makeBody({ path: '', scope: graph.root, owner: null, index: 0 });
  const progress: WalkProgress = {
    graph,
    root,
    bodies: new Map([['', root]]),
    tasks: new Map(),
    running: new Set(),
    delayed: new Set(),
    gates: new Set(),
    failures: new Map(),
    lastTimeMs: Number.NaN,
    ancestorForkedAt: Number.POSITIVE_INFINITY,
  };
  listFirstTasks(progress, root);
  return progress;
}

function makeBody(place: Pick<WalkedBody, 'path' | 'scope' | 'owner' | 'index'>): WalkedBody {
  return { ...place, edges: new Map(), nodes: new Map(), unfinished: place.scope.order.length };
}

function listFirstTasks(progress: WalkProgress, body: WalkedBody): void {
  for (const id of body.scope.order) {
    if (progress.graph.nodes.get(id)?.incoming.length === 0)
      progress.tasks.set(nodePathOf(body.path, id), { body, id });
  }
  if (body.unfinished === 0) progress.tasks.set(body.path, { body, id: null });
}

/** Where an event's node lies, or null: no such node, or a body that is done or was never begun. */
export function findPlace(
  draft: RunDraft,
  path: NodePath | undefined,
): { readonly body: WalkedBody; readonly placed: PlacedNode } | null {
  if (path === undefined) return null;
  const { body: bodyPath, id } = splitNodePath(path);
  const body = draft.progress.bodies.get(bodyPath) ?? reopenBody(draft, path);
  const placed = draft.progress.graph.nodes.get(id);
  return body === null || placed === undefined || placed.scope !== body.scope ? null : { body, placed };
}

/** A body that the document as it is now would not have begun yet: an ancestor walked with more at one time. */
function reopenBody(draft: RunDraft, path: NodePath): WalkedBody | null {
  const steps = parseNodePath(path)?.slice(0, -1) ?? [];
  let body: WalkedBody | null = draft.progress.root;
  for (const { id, item, pass } of steps) {
    const owner: WalkedNode | undefined = body?.nodes.get(id);
    const index = item ?? pass;
    if (owner?.bodies === undefined || index === undefined) return null;
    body = owner.bodies.open.get(index) ?? (mayBegin(owner, index) ? openBody(draft, owner, index) : null);
  }
  return body;
}

function mayBegin({ bodies, items, placed }: WalkedNode, index: number): boolean {
  return placed.node.kind === 'map' && index < (items?.count ?? 0) && bodies?.outputs[index] === undefined;
}

/** Begins an item or pass. */
export function openBody(draft: RunDraft, owner: WalkedNode, index: number): WalkedBody | null {
  const scope = draft.progress.graph.bodies.get(owner.id);
  if (scope === undefined || owner.bodies === undefined) return null;
  const path = owner.placed.node.kind === 'map' ? itemPathOf(owner.path, index) : passPathOf(owner.path, index);
  const body = makeBody({ path, scope, owner, index });
  owner.bodies.open.set(index, body);
  draft.progress.bodies.set(path, body);
  listFirstTasks(draft.progress, body);
  return body;
}

/** Begins items of a map, lowest first, until `concurrency` are open or none is left. */
export function openItems(draft: RunDraft, map: WalkedNode): void {
  const { bodies, items, placed } = map;
  if (bodies === undefined || items === undefined || placed.node.kind !== 'map') return;
  const concurrency = placed.node.concurrency ?? 1;
  while (bodies.open.size < concurrency && bodies.next < items.count) {
    const index = bodies.next;
    bodies.next += 1;
    if (!bodies.open.has(index) && bodies.outputs[index] === undefined) openBody(draft, map, index);
  }
}

/** Decides the edges out of a node that has finished or was skipped; what they make ready, or done, becomes a task. */
export function settleNode({ progress }: RunDraft, node: WalkedNode): void {
  const { body } = node;
  for (const edge of node.placed.outgoing) {
    const waiting = progress.graph.nodes.get(edge.to)?.incoming.length ?? 0;
    const into = body.edges.get(edge.to) ?? { undecided: waiting, live: false };
    into.undecided -= 1;
    into.live ||= isLive(edge, node);
    body.edges.set(edge.to, into);
    if (into.undecided === 0) progress.tasks.set(nodePathOf(body.path, edge.to), { body, id: edge.to });
  }
  body.unfinished -= 1;
  if (body.unfinished === 0) progress.tasks.set(body.path, { body, id: null });
}

/** Whether an edge from this node, which has finished or was skipped, leads on. */
export function isLive(edge: GraphEdge, from: WalkedNode): boolean {
  return from.status === 'ok' && (edge.on === undefined || edge.on === from.take);
}

/** Drops all that lies in a body. */
export function dropBody(draft: RunDraft, body: WalkedBody): void {
  const { progress } = draft;
  for (const node of body.nodes.values()) {
    dropBodies(draft, node);
    draft.nodes.delete(node.path);
    draft.checkpoints.delete(node.path);
    progress.running.delete(node);
    progress.delayed.delete(node);
    progress.gates.delete(node);
    progress.failures.delete(node.path);
  }
  for (const id of body.scope.order) progress.tasks.delete(nodePathOf(body.path, id));
  progress.tasks.delete(body.path);
  progress.failures.delete(body.path);
  progress.bodies.delete(body.path);
  body.owner?.bodies?.open.delete(body.index);
}

/** Drops the bodies of a map or fold that is done. */
export function dropBodies(draft: RunDraft, owner: WalkedNode): void {
  for (const body of owner.bodies?.open.values() ?? []) dropBody(draft, body);
  delete owner.bodies;
}
