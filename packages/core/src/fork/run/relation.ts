/** Which nodes of a walk come after another one. */
import { type NodePath, type PathStep, parseNodePath, parsePathStep } from '../../events/index.ts';
import type { Graph } from '../../graph/index.ts';

/**
 * Tells of paths whether they descend from the one given: it itself, what lies in it, what edges lead to from it or
 * from a map or fold around it, the later passes of a fold around it, and those maps and folds themselves. What lies in
 * another item of a map, or on another way, does not.
 */
export function makeDescends(graph: Graph, from: NodePath): (path: NodePath) => boolean {
  const steps = (parseNodePath(from) ?? []).map((step) => ({ ...step, reached: reachableFrom(graph, step.id) }));
  const texts = from.split('/');
  return (path) => {
    const found = path.split('/');
    // Plans ask this of every call: only the first step that is another one is parsed.
    const at = texts.findIndex((text, index) => text !== found[index]);
    const [step, other] = [steps[at], parsePathStep(found[at] ?? '')];
    // All of it so far is equal: it is the node itself, what lies in it, or a map or fold around it.
    if (step === undefined || other === null) return true;
    return descends(step, other, at === steps.length - 1);
  };
}

/** Of the first step in which two paths differ. */
function descends(
  step: PathStep & { readonly reached: ReadonlySet<string> },
  other: PathStep,
  isLast: boolean,
): boolean {
  if (other.id !== step.id) return step.reached.has(other.id);
  if (isLast) return true;
  if (other.item !== step.item) return other.item === undefined;
  return other.pass === undefined || other.pass > (step.pass ?? 0);
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
