/** Which nodes of a walk come after another one. */
import { type NodePath, type PathStep, parseNodePath } from '../../events/index.ts';
import type { Graph } from '../../graph/index.ts';

/**
 * Tells of paths whether they descend from the one given: it itself, what lies in it, what edges lead to from it or
 * from a map or fold around it, the later passes of a fold around it, and those maps and folds themselves. What lies in
 * another item of a map, or on another way, does not.
 */
export function makeDescends(graph: Graph, from: NodePath): (path: NodePath) => boolean {
  const steps = parseNodePath(from) ?? [];
  const reached = steps.map(({ id }) => reachableFrom(graph, id));
  const known = new Map<NodePath, boolean>();
  return (path) => {
    const answer = known.get(path) ?? descends({ steps, reached }, parseNodePath(path) ?? []);
    known.set(path, answer);
    return answer;
  };
}

function descends(
  from: { readonly steps: readonly PathStep[]; readonly reached: readonly ReadonlySet<string>[] },
  path: readonly PathStep[],
): boolean {
  for (const [index, step] of from.steps.entries()) {
    const other = path[index];
    // All of it so far is equal: it is a map or fold around.
    if (other === undefined) return true;
    if (other.id !== step.id) return from.reached[index]?.has(other.id) ?? false;
    if (index === from.steps.length - 1) return true;
    if (other.item !== step.item) return other.item === undefined;
    if (other.pass !== step.pass) return other.pass === undefined || other.pass > (step.pass ?? 0);
  }
  return true;
}

/** The nodes of a body that edges lead to from a node. */
function reachableFrom(graph: Graph, id: string): ReadonlySet<string> {
  const found = new Set<string>();
  const rest = [id];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    for (const { to } of graph.nodes.get(next)?.outgoing ?? []) {
      if (found.has(to)) continue;
      found.add(to);
      rest.push(to);
    }
  }
  return found;
}
