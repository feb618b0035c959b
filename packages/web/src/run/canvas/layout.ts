/**
 * Where everything of a document is drawn: nodes from top to bottom by their edges, in a map or a fold that is unfolded
 * the body of one item or pass.
 *
 * 1. It depends on the document and on what is unfolded, never on how a run stands: nothing moves while it goes on.
 * 2. Places are relative to the body they lie in.
 */
import dagre from '@dagrejs/dagre';
import { itemPathOf, type NodePath, nodePathOf, passPathOf } from '@ramet/core/events';
import type { Graph, Scope } from '@ramet/core/graph';

export const CARD = { width: 208, height: 68 };
/** Around the body of an unfolded node; its own card stands above. */
const PADDING = 16;
const STEPPER_HEIGHT = 36;

export interface DrawnNode {
  readonly path: NodePath;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The unfolded map or fold it lies in. */
  readonly parent: NodePath | null;
  /** Which item or pass is drawn in it; absent: it is folded, or no map or fold. */
  readonly shown?: number;
}

export interface DrawnEdge {
  readonly from: NodePath;
  readonly to: NodePath;
  /** The way of a branch. */
  readonly on?: string;
}

export interface Drawing {
  /** Parents come before what lies in them. */
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
}

/** Of unfolded maps and folds, by their path: which item or pass is shown. */
export type Unfolded = ReadonlyMap<NodePath, number>;

/** Lays a document out. */
export function layoutGraph(graph: Graph, unfolded: Unfolded): Drawing {
  const { nodes, edges } = layoutScope({ graph, unfolded }, { scope: graph.root, body: '', parent: null });
  return { nodes, edges };
}

interface Given {
  readonly graph: Graph;
  readonly unfolded: Unfolded;
}

interface Place {
  readonly scope: Scope;
  readonly body: string;
  readonly parent: NodePath | null;
}

interface Laid extends Drawing {
  readonly width: number;
  readonly height: number;
}

function layoutScope(given: Given, { scope, body, parent }: Place): Laid {
  const inner = new Map<string, Laid>();
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: 'TB', nodesep: 28, ranksep: 44, marginx: 0, marginy: 0 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of scope.order) {
    const laid = layoutInner(given, nodePathOf(body, id), id);
    if (laid !== null) inner.set(id, laid);
    graph.setNode(id, sizeOf(laid));
  }
  const edges = scope.body.edges ?? [];
  for (const { from, to } of edges) graph.setEdge(from, to);
  dagre.layout(graph);
  const offset = { x: parent === null ? 0 : PADDING, y: parent === null ? 0 : CARD.height + STEPPER_HEIGHT };
  const nodes = scope.order.flatMap((id): DrawnNode[] => {
    const { x, y, width, height } = graph.node(id);
    const path = nodePathOf(body, id);
    const shown = inner.has(id) ? given.unfolded.get(path) : undefined;
    const place = { x: x - width / 2 + offset.x, y: y - height / 2 + offset.y, width, height };
    return [{ path, ...place, parent, ...(shown === undefined ? {} : { shown }) }, ...(inner.get(id)?.nodes ?? [])];
  });
  const drawn = edges.map(({ from, to, on }) => ({
    from: nodePathOf(body, from),
    to: nodePathOf(body, to),
    ...(on === undefined ? {} : { on }),
  }));
  const { width = 0, height = 0 } = graph.graph();
  return { nodes, edges: [...drawn, ...[...inner.values()].flatMap((laid) => laid.edges)], width, height };
}

/** The body of an unfolded map or fold; null of any other node. */
function layoutInner(given: Given, path: NodePath, id: string): Laid | null {
  const scope = given.graph.bodies.get(id);
  const number = given.unfolded.get(path);
  if (scope === undefined || number === undefined) return null;
  const isMap = scope.owner?.node.kind === 'map';
  const body = isMap ? itemPathOf(path, number) : passPathOf(path, number);
  return layoutScope(given, { scope, body, parent: path });
}

function sizeOf(inner: Laid | null): { width: number; height: number } {
  if (inner === null) return { ...CARD };
  return {
    width: Math.max(CARD.width, inner.width) + 2 * PADDING,
    height: CARD.height + STEPPER_HEIGHT + inner.height + PADDING,
  };
}
