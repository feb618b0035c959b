import type { Graph, GraphDocument, GraphNode } from '@ramet/core';
import { TOOL_NAMES } from '../../tools/names.ts';
import type { FileUse } from './types.ts';

const BUILTIN: ReadonlySet<string> = new Set(TOOL_NAMES);
/** `search` is not among them: it runs in the sandbox, whose mount points stand in the files while it does. */
const READING: ReadonlySet<string> = new Set(['read_file', 'list_files']);

/** What a node does with files (W21): who can write them holds them alone. */
export function fileUseOf(node: GraphNode): FileUse {
  const access = accessOf(node);
  if (access === 'none' || (node.kind !== 'agent' && node.kind !== 'tool')) return { kind: 'none', access: 'none' };
  return { kind: node.workspace ?? 'run', access };
}

function accessOf(node: GraphNode): FileUse['access'] {
  if (node.kind === 'agent') return (node.tools ?? []).length > 0 ? 'write' : 'none';
  if (node.kind !== 'tool') return 'none';
  if (node.exec !== undefined) return node.exec.sandbox === false ? 'none' : 'write';
  if (!BUILTIN.has(node.tool ?? '')) return 'none';
  return READING.has(node.tool ?? '') ? 'read' : 'write';
}

/** Whether a node of a document needs the run's files. */
export function usesRunFiles({ nodes }: Pick<GraphDocument, 'nodes'>): boolean {
  return Object.values(nodes).some((node) => {
    if (node.kind === 'map' || node.kind === 'fold') return usesRunFiles(node.body);
    const { kind, access } = fileUseOf(node);
    return access !== 'none' && kind !== 'none';
  });
}

/** Whether any node runs something in a sandbox, whichever files it sees. */
export function needsSandbox(graph: Graph): boolean {
  return [...graph.nodes.values()].some(({ node }) => fileUseOf(node).access === 'write');
}
