/** The files a conversation ended with: how the workspace was opened, what it opened with, its last checkpoint. */
import type { EventOf, KnownEvent, NodePath } from '../../events/index.ts';
import type { Graph } from '../../graph/index.ts';
import { workspaceOf } from '../run/workspaces.ts';
import type { ConversationPlan } from './types.ts';

type Checkpoint = EventOf<'workspace.checkpoint'>;

/** What the run's log says of the files, up to the end of the conversation. */
export interface ConversationFiles {
  readonly opened?: EventOf<'workspace.open'>;
  /** The state the workspace opened with. */
  readonly opening?: Checkpoint;
  readonly last?: Checkpoint;
}

/** Takes the events of a run in order, up to the end of the conversation. */
export interface FilesFold {
  add(event: KnownEvent): void;
  readonly files: ConversationFiles;
}

/** Begins to look for the files of a conversation. */
export function createFilesFold(graph: Graph, { node, from }: Pick<ConversationPlan, 'node' | 'from'>): FilesFold {
  const files: { opened?: EventOf<'workspace.open'>; opening?: Checkpoint; last?: Checkpoint } = {};
  const workspace = workspaceOf(graph, node);
  const recorded = new Map<string, Checkpoint>();
  let isOpening = false;
  const isOurs = (event: { readonly node?: NodePath; readonly seq: number }): boolean => {
    // A copy of its own begins with the entry; before that the run's files are what it is cut from.
    if (event.node === node) return workspace === '' || event.seq > from;
    const of = event.node === undefined ? '' : workspaceOf(graph, event.node);
    return of === '' && (workspace === '' || event.seq < from);
  };
  const add = (event: KnownEvent): void => {
    if (event.type === 'workspace.open' && isOurs(event)) {
      files.opened = event;
      delete files.opening;
      delete files.last;
      isOpening = event.node === undefined;
    } else if (event.type === 'workspace.checkpoint') {
      recorded.set(event.id, event);
      if (!isOurs(event)) return;
      if (isOpening && event.node === undefined) files.opening ??= event;
      files.last = event;
    } else if (event.type === 'workspace.restore' && event.node === node && event.checkpoint !== null) {
      const cutFrom = recorded.get(event.checkpoint);
      if (cutFrom !== undefined && isOurs(event)) files.last = cutFrom;
    } else if (event.type === 'node.enter') isOpening = false;
  };
  return { add, files };
}
