/** Whether another document can be walked over a prefix: what the prefix used of the old one must be in it unchanged. */
import type { Refusal } from '../../codes/index.ts';
import { type NodePath, nodeIdOf, ownerIdOf } from '../../events/index.ts';
import type { Graph, GraphEdge, PlacedNode } from '../../graph/index.ts';
import { canonicalJson } from '../../log/index.ts';
import { listSome, refuseRunFork } from './refusals.ts';
import type { PrefixNodes } from './settled.ts';

/** One difference. `at` is a JSON Pointer into the source's document, of what was added into the new one. */
export interface GraphDifference {
  readonly at: string;
  readonly change: 'changed' | 'added' | 'removed' | 'moved';
}

/** Differences that are named at most. */
const LISTED = 100;

/** The refusal when nodes or edges that the prefix used differ, or the fork node is gone; null when none does. */
export function compareGraphs(
  before: Graph,
  after: Graph,
  { prefix, boundary }: { readonly prefix: PrefixNodes; readonly boundary: NodePath },
): Refusal | null {
  const used = new Set([...prefix.nodes.keys()].map(nodeIdOf));
  const done = new Set([...prefix.doneBodies].map(ownerIdOf));
  const differences: GraphDifference[] = [];
  for (const id of used) differences.push(...compareNode(before.nodes.get(id), after, done.has(id)));
  const fork = before.nodes.get(nodeIdOf(boundary));
  if (fork !== undefined && !used.has(fork.id)) differences.push(...comparePlace(fork, after));
  if (differences.length === 0) return null;
  const listed = differences.slice(0, LISTED);
  const named = listed.map(({ at, change }) => `${at} (${change})`);
  const message = `the other document differs in what the run has used: ${listSome(named)}`;
  return refuseRunFork('graph_changed', message, { differences: listed, count: differences.length });
}

function compareNode(placed: PlacedNode | undefined, after: Graph, outputUsed: boolean): readonly GraphDifference[] {
  if (placed === undefined) return [];
  const moved = comparePlace(placed, after);
  const other = after.nodes.get(placed.id);
  if (other === undefined || moved.length > 0) return moved;
  return [
    ...compareValues(ownPartOf(placed, outputUsed), ownPartOf(other, outputUsed), pointerOf(placed)),
    ...compareEdges(placed, other),
  ];
}

function comparePlace(placed: PlacedNode, after: Graph): readonly GraphDifference[] {
  const other = after.nodes.get(placed.id);
  if (other === undefined) return [{ at: pointerOf(placed), change: 'removed' }];
  return other.scope.owner?.id === placed.scope.owner?.id ? [] : [{ at: pointerOf(placed), change: 'moved' }];
}

/** A node without the nodes and edges of its body: those are looked at one by one. */
function ownPartOf({ node }: PlacedNode, outputUsed: boolean): Readonly<Record<string, unknown>> {
  if (node.kind !== 'map' && node.kind !== 'fold') return { ...node };
  const { body, ...own } = node;
  return outputUsed && body.output !== undefined ? { ...own, body: { output: body.output } } : own;
}

/** The edges into a node: by them it was decided that it is entered or skipped. */
function compareEdges(placed: PlacedNode, other: PlacedNode): readonly GraphDifference[] {
  const before = new Map(placed.incoming.map((edge) => [canonicalJson(edge), edge]));
  const after = new Map(other.incoming.map((edge) => [canonicalJson(edge), edge]));
  const removed = [...before].filter(([key]) => !after.has(key));
  const added = [...after].filter(([key]) => !before.has(key));
  return [
    ...removed.map(([, edge]) => ({ at: pointerOfEdge(placed, edge), change: 'removed' as const })),
    ...added.map(([, edge]) => ({ at: pointerOfEdge(other, edge), change: 'added' as const })),
  ];
}

function compareValues(before: unknown, after: unknown, at: string): readonly GraphDifference[] {
  if (canonicalJson(before) === canonicalJson(after)) return [];
  if (!isPlain(before) || !isPlain(after)) return [{ at, change: 'changed' }];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) => {
    const place = `${at}/${escapeStep(key)}`;
    const [left, right] = [ownField(before, key), ownField(after, key)];
    if (right === undefined && left !== undefined) return [{ at: place, change: 'removed' as const }];
    if (left === undefined && right !== undefined) return [{ at: place, change: 'added' as const }];
    return compareValues(left, right, place);
  });
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function ownField(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function pointerOf({ id, scope }: PlacedNode): string {
  return `${pointerOfBody(scope.owner)}/nodes/${id}`;
}

function pointerOfEdge({ scope }: PlacedNode, edge: GraphEdge): string {
  return `${pointerOfBody(scope.owner)}/edges/${scope.body.edges?.indexOf(edge) ?? 0}`;
}

function pointerOfBody(owner: PlacedNode | null): string {
  return owner === null ? '' : `${pointerOf(owner)}/body`;
}

/** RFC 6901. */
function escapeStep(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1');
}
