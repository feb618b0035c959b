/** How a person names nodes of a run: by id, which may stand for many paths, or by path. */
import type { Refusal } from '../../codes/index.ts';
import { itemPathOf, type NodePath, nodeIdOf, nodePathOf, parseNodePath } from '../../events/index.ts';
import type { Graph } from '../../graph/index.ts';
import { findNearest } from '../../text/index.ts';
import { refuseRunFork } from './refusals.ts';

/** A node that a name stands for. */
export interface NodeName {
  readonly text: string;
  readonly id: string;
  /** It can stand for one path alone. */
  readonly single: boolean;
  /** Whether a path is one of those it stands for. */
  matches(path: NodePath): boolean;
}

/** What a name stands for in a document. */
export function resolveNodeName(graph: Graph, text: string): NodeName | Refusal {
  const placed = graph.nodes.get(text);
  if (placed !== undefined) {
    const single = placed.scope.owner === null;
    return { text, id: text, single, matches: (path) => nodeIdOf(path) === text };
  }
  if (isPathIn(graph, text)) return { text, id: nodeIdOf(text), single: true, matches: (path) => path === text };
  const near = findNearest(nodeIdOf(text), [...graph.nodes.keys()]);
  const hint = near === undefined ? '' : `; did you mean '${near}'?`;
  return refuseRunFork('node_unknown', `the document has no node '${text}'${hint}`, {
    node: text,
    ...(near === undefined ? {} : { nearest: near }),
  });
}

function isPathIn(graph: Graph, text: string): boolean {
  const steps = parseNodePath(text);
  if (steps === null) return false;
  return steps.every(({ id, item, pass }, index) => {
    const placed = graph.nodes.get(id);
    const kind = placed?.node.kind;
    const fits = (item === undefined || kind === 'map') && (pass === undefined || kind === 'fold');
    return placed !== undefined && fits && placed.scope.owner?.id === steps[index - 1]?.id;
  });
}

/** The name of a node in one item, where that is one path: it lies in one map, and in no other map or fold. */
export function nameInItem(graph: Graph, name: NodeName, item: number | undefined): NodeName {
  const owner = graph.nodes.get(name.id)?.scope.owner;
  if (item === undefined || name.single || owner?.node.kind !== 'map' || owner.scope.owner !== null) return name;
  const path = nodePathOf(itemPathOf(owner.id, item), name.id);
  return { text: path, id: name.id, single: true, matches: (other) => other === path };
}
