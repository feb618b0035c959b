/**
 * The rows of a walk as a tree: nodes of the document in its order, below a map or a fold its items or passes, below
 * those the nodes of the body.
 *
 * 1. Only what is unfolded is looked at: a map of 10,000 items is a hundred ranges, of which few are open.
 * 2. A row's key is the same for the same thing, whatever is unfolded besides.
 */
import { itemPathOf, type NodePath, nodePathOf, passPathOf } from '@ramet/core/events';
import type { Graph, Scope } from '@ramet/core/graph';
import type { NodeView } from '@ramet/core/runs';
import type { Nodes } from '../timeline.ts';
import { type Bodies, bodiesOf, type PlaceState, stateOfBody, worstOf } from './states.ts';

/** More items or passes than these are put into ranges of as many. */
const RANGE = 100;

interface RowPlace {
  readonly key: string;
  readonly parent: string | null;
  /** From 1. */
  readonly level: number;
  /** Among its siblings, from 1, and how many those are. */
  readonly position: number;
  readonly siblings: number;
  readonly label: string;
  readonly state: PlaceState;
  /** Null: there is nothing below it. */
  readonly isExpanded: boolean | null;
}

export interface NodeRow extends RowPlace {
  readonly kind: 'node';
  readonly path: NodePath;
  /** Absent: it was not reached yet. */
  readonly view?: NodeView;
  readonly nodeKind: string | null;
}

/** An item, a pass, or a range of them. */
export interface BodyRow extends RowPlace {
  readonly kind: 'body' | 'range';
}

export type WalkRow = NodeRow | BodyRow;

export interface WalkTree {
  /** Null: the document cannot be read; then the places stand in the order in which they were met. */
  readonly graph: Graph | null;
  readonly nodes: Nodes;
  /** Keys of the rows that are unfolded. */
  readonly expanded: ReadonlySet<string>;
}

/** The rows in sight. */
export function listWalk(tree: WalkTree): readonly WalkRow[] {
  const rows: WalkRow[] = [];
  if (tree.graph === null) listFlat(tree, rows);
  else listScope({ ...tree, graph: tree.graph, rows }, { scope: tree.graph.root, body: '', parent: null, level: 1 });
  return rows;
}

/** The keys that must be unfolded for a place to be in sight. */
export function keysAbove(path: NodePath): readonly string[] {
  const steps = path.split('/');
  return steps.slice(0, -1).flatMap((_, index) => {
    const body = steps.slice(0, index + 1).join('/');
    const [, owner = '', number = '0'] = /^(.*)[[#](\d+)\]?$/.exec(body) ?? [];
    const isMap = body.endsWith(']');
    return [owner, rangeKey(owner, rangeStart(Number(number), isMap ? 0 : 1)), body];
  });
}

interface Listing extends WalkTree {
  readonly graph: Graph;
  readonly rows: WalkRow[];
}

interface Place {
  readonly parent: string | null;
  readonly level: number;
}

function listFlat({ nodes }: WalkTree, rows: WalkRow[]): void {
  for (const view of nodes.values()) {
    const { node: path, state, kind: nodeKind } = view;
    const place = { parent: null, level: 1, position: rows.length + 1, siblings: nodes.size };
    rows.push({ kind: 'node', key: path, path, label: path, state, nodeKind, view, isExpanded: null, ...place });
  }
}

function listScope(
  listing: Listing,
  { scope, body, parent, level }: Place & { readonly scope: Scope; readonly body: string },
): void {
  const { graph, nodes, expanded, rows } = listing;
  for (const [index, id] of scope.order.entries()) {
    const path = nodePathOf(body, id);
    const view = nodes.get(path);
    const inner = graph.bodies.get(id);
    const bodies = bodiesOf(nodes, inner, view);
    const isExpanded = bodies === null || bodies.count === 0 ? null : expanded.has(path);
    rows.push({
      kind: 'node',
      ...{ key: path, parent, level, position: index + 1, siblings: scope.order.length },
      ...{ path, label: id, isExpanded },
      state: view?.state ?? 'not reached',
      nodeKind: graph.nodes.get(id)?.node.kind ?? null,
      ...(view === undefined ? {} : { view }),
    });
    if (isExpanded === true && bodies !== null && inner !== undefined)
      listBodies(listing, { owner: path, scope: inner, bodies, parent: path, level: level + 1 });
  }
}

interface BodiesPlace extends Place {
  readonly owner: NodePath;
  readonly scope: Scope;
  readonly bodies: Bodies;
}

function listBodies(listing: Listing, place: BodiesPlace): void {
  const { owner, bodies, parent, level } = place;
  const { first, count } = bodies;
  if (count <= RANGE) {
    listSome(listing, place, { from: first, to: first + count - 1 });
    return;
  }
  const ranges = Math.ceil(count / RANGE);
  for (let index = 0; index < ranges; index += 1) {
    const from = first + index * RANGE;
    const to = Math.min(from + RANGE, first + count) - 1;
    const key = rangeKey(owner, from);
    const isExpanded = listing.expanded.has(key);
    listing.rows.push({
      kind: 'range',
      ...{ key, parent, level, position: index + 1, siblings: ranges, isExpanded },
      label: `${bodies.kind === 'map' ? 'items' : 'passes'} ${from} to ${to}`,
      state: stateOfRange(listing, place, { from, to }),
    });
    if (isExpanded) listSome(listing, { ...place, parent: key, level: level + 1 }, { from, to });
  }
}

interface Range {
  readonly from: number;
  readonly to: number;
}

function listSome(listing: Listing, place: BodiesPlace, { from, to }: Range): void {
  const { owner, scope, bodies, parent, level } = place;
  for (let number = from; number <= to; number += 1) {
    const body = bodyOf(bodies, owner, number);
    const isExpanded = listing.expanded.has(body);
    listing.rows.push({
      kind: 'body',
      ...{ key: body, parent, level, position: number - from + 1, siblings: to - from + 1, isExpanded },
      label: `${bodies.kind === 'map' ? 'item' : 'pass'} ${number}`,
      state: stateOfBody(listing.nodes, scope, body),
    });
    if (isExpanded) listScope(listing, { scope, body, parent: body, level: level + 1 });
  }
}

function stateOfRange({ nodes }: Listing, { owner, scope, bodies }: BodiesPlace, { from, to }: Range): PlaceState {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return worstOf(numbers.map((number) => stateOfBody(nodes, scope, bodyOf(bodies, owner, number))));
}

/** The path of an item or a pass. */
function bodyOf({ kind }: Bodies, owner: NodePath, number: number): string {
  return kind === 'map' ? itemPathOf(owner, number) : passPathOf(owner, number);
}

function rangeKey(owner: NodePath, from: number): string {
  return `${owner} from ${from}`;
}

function rangeStart(number: number, first: number): number {
  return first + Math.floor((number - first) / RANGE) * RANGE;
}
