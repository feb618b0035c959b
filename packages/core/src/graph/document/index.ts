export { compileGraph, hashGraph } from './compile.ts';
export { type FileTools, type FileUse, fileUseOf, type PlaceKind, placeKindOf } from './file-use.ts';
export type { Graph, PlacedNode, Scope } from './graph.ts';
export { GRAPH_SCHEMA } from './schema.ts';
export type * from './types.ts';
export { isGraphProblems, validateGraph } from './validate.ts';
