import { type FileUse, fileUseOf, type Graph, type GraphDocument, type GraphNode } from '@ramet/core';
import { FILE_TOOLS } from '../../tools/names.ts';

/** What a node does with files (W21). */
export function useOf(node: GraphNode): FileUse {
  return fileUseOf(node, FILE_TOOLS);
}

/** Whether a node of a document needs the run's files. */
export function usesRunFiles({ nodes }: Pick<GraphDocument, 'nodes'>): boolean {
  return Object.values(nodes).some((node) => {
    if (node.kind === 'map' || node.kind === 'fold') return usesRunFiles(node.body);
    const { kind, access } = useOf(node);
    return access !== 'none' && kind !== 'none';
  });
}

/** Whether any node runs something in a sandbox, whichever files it sees. */
export function needsSandbox(graph: Graph): boolean {
  return [...graph.nodes.values()].some(({ node }) => useOf(node).access === 'write');
}
