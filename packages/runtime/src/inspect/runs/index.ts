export { readGraphName, readOwnWorkspaces, readRunGraph } from './document.ts';
export { describeListing, type GraphRunListing, listGraphRuns } from './list.ts';
export type { NodeCallView, NodeView } from './nodes.ts';
export type { RunWaits } from './standing.ts';
export { type GraphRunView, type ReadGraphRun, viewGraphRun } from './view.ts';
