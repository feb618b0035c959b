/** Graph documents and bodies whose edges can only name nodes that are there. */
import type { GraphBody, GraphDocument, GraphEdge, GraphNode } from '../document/types.ts';

/** From, to, and from a branch the way. */
export type EdgeOf<Id extends string> = readonly [from: Id, to: Id, on?: string];

type Nodes = Readonly<Record<string, GraphNode>>;

interface Parts<N extends Nodes> {
  readonly nodes: N;
  /** Only the nodes say which ids there are. */
  readonly edges?: readonly EdgeOf<NoInfer<keyof N & string>>[];
}

/** A document. */
export function graph<const N extends Nodes>(
  parts: Parts<N> & Omit<GraphDocument, 'schema' | 'nodes' | 'edges'>,
): GraphDocument {
  const { edges, ...rest } = parts;
  return { schema: 1, ...rest, ...edgesOf(edges) };
}

/** The body of a map or a fold. */
export function body<const N extends Nodes>(parts: Parts<N> & Omit<GraphBody, 'nodes' | 'edges'>): GraphBody {
  const { edges, ...rest } = parts;
  return { ...rest, ...edgesOf(edges) };
}

function edgesOf(edges: readonly EdgeOf<string>[] | undefined): Pick<GraphBody, 'edges'> {
  return edges === undefined ? {} : { edges: edges.map(edgeOf) };
}

function edgeOf([from, to, on]: EdgeOf<string>): GraphEdge {
  return on === undefined ? { from, to } : { from, to, on };
}
