import type { Digest } from '../../events/index.ts';
import type { GraphBody, GraphDocument, GraphEdge, GraphNode } from './types.ts';

/** A node, and where it lies in its document. Ids are unique in a document, bodies included. */
export interface PlacedNode {
  readonly id: string;
  readonly node: GraphNode;
  /** The body it lies in. */
  readonly scope: Scope;
  readonly incoming: readonly GraphEdge[];
  readonly outgoing: readonly GraphEdge[];
}

/** The document itself, or the body of a map or a fold. */
export interface Scope {
  /** The map or fold whose body it is; null for the document. */
  readonly owner: PlacedNode | null;
  readonly body: GraphBody;
  /** Ids in an order in which every node comes after those it waits for. */
  readonly order: readonly string[];
}

/** A document that was validated, with what a walk looks up. */
export interface Graph {
  readonly hash: Digest;
  readonly document: GraphDocument;
  readonly root: Scope;
  readonly nodes: ReadonlyMap<string, PlacedNode>;
  /** By the map or fold that owns it. */
  readonly bodies: ReadonlyMap<string, Scope>;
}
