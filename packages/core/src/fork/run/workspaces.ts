/** The workspaces of a run at a boundary: what is restored of each, and who was still at work in it. */
import { type NodePath, nodeIdOf } from '../../events/index.ts';
import { fileUseOf, type Graph, placeKindOf } from '../../graph/index.ts';
import { type CheckpointMark, mayName } from '../../log/index.ts';
import type { FoundNode } from './boundary.ts';
import type { RunForkSource, WorkspaceAtBoundary } from './types.ts';

/** Workspaces that hold nothing a checkpoint could bring back. */
const KEPT_NOWHERE: ReadonlySet<string> = new Set(['directory', 'none']);

/** The run's workspace, and those of nodes at work that have one of their own. */
export function describeWorkspaces(
  source: RunForkSource,
  boundary: FoundNode,
  atWork: ReadonlySet<NodePath>,
): readonly WorkspaceAtBoundary[] {
  const { graph } = source;
  const kind = source.heads[0]?.graph?.workspace ?? 'none';
  const isKept = !KEPT_NOWHERE.has(kind);
  const holders = [...atWork].filter((path) => holdsFiles(source, path));
  const own = holders.filter((path) => workspaceOf(graph, path) === path);
  const leftOut = holders.filter((path) => workspaceOf(graph, path) === '');
  const run: WorkspaceAtBoundary = {
    workspace: '',
    kind,
    checkpoint: isKept ? findCheckpoint(source, boundary, '') : null,
    leftOut,
  };
  const others = own.map((path) => ({
    workspace: path,
    kind,
    checkpoint: isKept ? findCheckpoint(source, boundary, path) : null,
    leftOut: [path],
  }));
  return [run, ...others];
}

/** The workspace a node works in: `''` is the run's, its own path its own; null when it has none. */
export function workspaceOf(graph: Graph, path: NodePath): NodePath | null {
  const node = graph.nodes.get(nodeIdOf(path))?.node;
  const kind = node === undefined ? 'run' : placeKindOf(node);
  if (kind === 'none') return null;
  return kind === 'own' ? path : '';
}

/**
 * Whether what a node wrote into its workspace is undone in the child: the workspace has a checkpoint here, or is cut
 * anew from the run's, which has one.
 */
export function isRestored(graph: Graph, workspaces: readonly WorkspaceAtBoundary[], node: NodePath): boolean {
  const workspace = workspaceOf(graph, node);
  if (workspace === null) return false;
  return workspaces.some((found) => found.checkpoint !== null && ['', workspace].includes(found.workspace));
}

/** Whether a node at work can write its workspace: it holds that alone. */
function holdsFiles({ graph, fileTools }: RunForkSource, path: NodePath): boolean {
  const node = graph.nodes.get(nodeIdOf(path))?.node;
  return node !== undefined && fileUseOf(node, fileTools).access === 'write';
}

/** The last checkpoint of a workspace below a boundary, or null. */
function findCheckpoint(source: RunForkSource, boundary: FoundNode, workspace: NodePath): string | null {
  const { graph } = source;
  const isOf = ({ node }: CheckpointMark): boolean =>
    (node === undefined ? '' : workspaceOf(graph, node)) === workspace;
  const inSegment = source.readDetail(boundary.segment).checkpoints;
  const found = inSegment.findLast((mark) => mark.offset < boundary.mark.offset && isOf(mark));
  if (found !== undefined) return found.id;
  for (let segment = boundary.segment - 1; segment >= 0; segment -= 1) {
    const last = findInSegment(source, segment, { workspace, isOf });
    if (last !== undefined) return last.id;
    if (workspace !== '' && isWhereItBegan(source, segment, workspace)) return null;
  }
  return null;
}

function findInSegment(
  source: RunForkSource,
  segment: number,
  { workspace, isOf }: { readonly workspace: NodePath; readonly isOf: (mark: CheckpointMark) => boolean },
): CheckpointMark | undefined {
  const last = source.heads[segment]?.lastCheckpoints;
  if (last === undefined) return undefined;
  const found = last.marks.findLast(isOf);
  if (found !== undefined) return found;
  // A head names the last one of an id alone, whatever its path; and not every id.
  const id = nodeIdOf(workspace);
  const mayHold =
    last.more || last.marks.some(({ node }) => workspace !== '' && node !== undefined && nodeIdOf(node) === id);
  return mayHold ? source.readDetail(segment).checkpoints.findLast(isOf) : undefined;
}

/** Whether a node that has a workspace of its own was first entered in this segment: no checkpoint lies before it. */
function isWhereItBegan(source: RunForkSource, segment: number, path: NodePath): boolean {
  const walk = source.heads[segment]?.walk;
  if (walk === undefined || !mayName(walk.names, path)) return false;
  const { nodes } = source.readDetail(segment);
  return nodes.some(({ type, node, attempt }) => type === 'enter' && node === path && attempt === 1);
}
