/** Who in the prefix has used a node's output: it can be replaced only while nobody has. */
import { liesIn, type NodePath, ownerIdOf, splitNodePath } from '../../events/index.ts';
import type { Graph, GraphNode } from '../../graph/index.ts';
import { outputsNamedBy, outputsNamedIn } from './references.ts';
import type { PrefixNodes } from './settled.ts';

/**
 * Paths of nodes that were entered, and of items and passes that are done, which used the output of a node: as their
 * input for want of another, or because a text of theirs names it. What may have used it counts.
 */
export function findOutputUsers(graph: Graph, { nodes, doneBodies }: PrefixNodes, of: NodePath): readonly string[] {
  const { body, id } = splitNodePath(of);
  const uses = makeUses(graph, id);
  const users: string[] = doneBodies.has(body) ? [body] : [];
  for (const [path, standing] of nodes) {
    if (standing === 'skipped' || path === of || !liesIn(path, body)) continue;
    const place = splitNodePath(path);
    if (uses(place.id, place.body === body)) users.push(path);
  }
  const bodies = outputBodiesNaming(graph, id);
  for (const done of doneBodies) {
    if (done !== body && liesIn(done, body) && bodies.has(ownerIdOf(done))) users.push(done);
  }
  return users;
}

/** Whether a node uses the output; beside it, also for want of an input of its own. */
function makeUses(graph: Graph, of: string): (id: string, beside: boolean) => boolean {
  const naming = new Map<string, boolean>();
  const following = new Set((graph.nodes.get(of)?.outgoing ?? []).map(({ to }) => to));
  const names = (id: string, node: GraphNode): boolean => {
    const known = naming.get(id) ?? outputsNamedBy(node).has(of);
    naming.set(id, known);
    return known;
  };
  return (id, beside) => {
    const node = graph.nodes.get(id)?.node;
    if (node === undefined) return false;
    return names(id, node) || (beside && node.input === undefined && following.has(id));
  };
}

/** Maps and folds whose body's `output` names it. */
function outputBodiesNaming(graph: Graph, id: string): ReadonlySet<string> {
  return new Set(
    [...graph.bodies].filter(([, { body }]) => outputsNamedIn(body.output).has(id)).map(([owner]) => owner),
  );
}
