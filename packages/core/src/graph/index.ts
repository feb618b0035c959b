export type { Graph, PlacedNode, Scope } from './document/graph.ts';
export type * from './document/types.ts';
export type * from './walk/types.ts';
