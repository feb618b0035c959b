export { createNodeFold, type NodeFold, type NodeFoldOptions } from './node-fold.ts';
export type { NodeCallView, NodeView, NodeViewState } from './node-view.ts';
export { resolveRunId } from './resolve.ts';
export { shortIdsOf } from './short-ids.ts';
