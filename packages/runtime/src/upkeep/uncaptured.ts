/**
 * What a run may have changed in its workspace after the last checkpoint its log names: a process that died, or a turn that
 * waits, leaves it in the folder alone.
 *
 * 1. Only calls of turns and nodes that have not ended count: what ends takes a checkpoint, or says in the log why not.
 */
import { type CheckpointMark, knownEvent, type Refusal, type RunId, refuse } from '@ramet/core';
import type { FileStore } from '../store/index.ts';

/** Changes that no checkpoint holds. */
export interface UncapturedWork {
  /** The folder they are in. */
  readonly workspace: string;
  /** Of the first call that may have made one. */
  readonly offset: number;
  /** In words, with what to do first. */
  readonly message: string;
}

/** The last checkpoint a log names of the run's own workspace. */
export interface LastCheckpoint {
  readonly mark: CheckpointMark;
  /** Whether a node works in that workspace. */
  readonly isShared: (of: Pick<CheckpointMark, 'node'>) => boolean;
}

/** Finds what calls after a run's last checkpoint may have changed; null where none did. */
export function findUncaptured(store: FileStore, id: RunId, { mark, isShared }: LastCheckpoint): UncapturedWork | null {
  const reader = store.read(id);
  if (reader === null) return null;
  const open = new Map<string, number>();
  for (const event of reader.readEvents({ from: mark.offset + 1 })) {
    const known = knownEvent(event);
    if (known === null) continue;
    const { node = '' } = known;
    if (known.type === 'session.end' || known.type === 'node.exit') open.delete(node);
    if (known.type !== 'tool.intent' || known.effect === 'read' || !isShared(known)) continue;
    if (!open.has(node)) open.set(node, known.seq);
  }
  if (open.size === 0) return null;
  const isGraph = reader.readOutline().heads[0]?.graph !== undefined;
  const { workspace } = store.pathsOf(id);
  return { workspace, offset: Math.min(...open.values()), message: describe(id, workspace, isGraph) };
}

function describe(id: RunId, workspace: string, isGraph: boolean): string {
  const [what, goOn] = isGraph ? ['a node', `ramet resume ${id}`] : ['a turn', `ramet run --session ${id}`];
  return `${what} of ${id} has not ended: its changes since the last checkpoint are in ${workspace} and in no checkpoint; let it end first: ${goOn}`;
}

/** Refuses to bring what no checkpoint holds. */
export function refuseUncaptured(id: RunId, uncaptured: UncapturedWork): Refusal {
  return refuse('no_checkpoint', uncaptured.message, { id, uncaptured });
}
