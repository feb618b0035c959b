/** What nodes do with the files of a workspace (W21): who can write them holds them alone. */
import type { GraphNode } from './types.ts';

/** Which files a node sees: the run's, a copy of its own, none that are kept. */
export type PlaceKind = 'run' | 'own' | 'none';

/** What a node does with files. */
export interface FileUse {
  readonly kind: PlaceKind;
  readonly access: 'none' | 'read' | 'write';
}

/** What each built-in tool does with files, by its name. Other tools see none: they are outside the sandbox. */
export type FileTools = ReadonlyMap<string, 'read' | 'write'>;

/** What a node does with files. What its call does outside, its `effect`, says nothing about that. */
export function fileUseOf(node: GraphNode, tools: FileTools): FileUse {
  const access = accessOf(node, tools);
  return { kind: access === 'none' ? 'none' : placeKindOf(node), access };
}

/** Which files a node's document gives it, whether it does anything with them or not. */
export function placeKindOf(node: GraphNode): PlaceKind {
  return node.kind === 'agent' || node.kind === 'tool' ? (node.workspace ?? 'run') : 'run';
}

function accessOf(node: GraphNode, tools: FileTools): FileUse['access'] {
  if (node.kind === 'agent') return (node.tools ?? []).length > 0 ? 'write' : 'none';
  if (node.kind !== 'tool') return 'none';
  if (node.exec !== undefined) return node.exec.sandbox === false ? 'none' : 'write';
  return tools.get(node.tool ?? '') ?? 'none';
}
