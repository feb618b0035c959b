/** A validated document with what a walk looks up. */
import { invariant } from '../../codes/index.ts';
import type { Digest, Sha256 } from '../../events/index.ts';
import { canonicalJson } from '../../log/canonical.ts';
import type { Graph, PlacedNode, Scope } from './graph.ts';
import { orderNodes } from './order.ts';
import type { GraphBody, GraphDocument, GraphNode } from './types.ts';

/** What names a document: the SHA-256 of its canonical JSON. */
export function hashGraph(document: GraphDocument, sha256: Sha256): Digest {
  return sha256(canonicalJson(document));
}

/** A document as a walk needs it. The document must be one that `validateGraph` accepts. */
export function compileGraph(document: GraphDocument, hash: Digest): Graph {
  const nodes = new Map<string, PlacedNode>();
  const bodies = new Map<string, Scope>();
  const root = placeBody(document, null, { nodes, bodies });
  return { hash, document, root, nodes, bodies };
}

interface Found {
  readonly nodes: Map<string, PlacedNode>;
  readonly bodies: Map<string, Scope>;
}

function placeBody(body: GraphBody, owner: PlacedNode | null, found: Found): Scope {
  const edges = body.edges ?? [];
  const { order, rest } = orderNodes(Object.keys(body.nodes), edges);
  invariant(rest.size === 0, 'a document with a cycle is compiled');
  const scope: Scope = { owner, body, order };
  if (owner !== null) found.bodies.set(owner.id, scope);
  const incoming = Map.groupBy(edges, ({ to }) => to);
  const outgoing = Map.groupBy(edges, ({ from }) => from);
  for (const id of order) {
    // An id of the order is a key of the nodes.
    const node = body.nodes[id] as GraphNode;
    const placed = { id, node, scope, incoming: incoming.get(id) ?? [], outgoing: outgoing.get(id) ?? [] };
    found.nodes.set(id, placed);
    if (node.kind === 'map' || node.kind === 'fold') placeBody(node.body, placed, found);
  }
  return scope;
}
