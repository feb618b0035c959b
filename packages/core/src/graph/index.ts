export type { Graph, PlacedNode, Scope } from './document/graph.ts';
export type * from './document/types.ts';
export * from './expression/index.ts';
export type * from './walk/types.ts';
