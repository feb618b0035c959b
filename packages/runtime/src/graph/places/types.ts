import type { EventDraft } from '@ramet/core';
import type { Sandbox } from '../../sandbox/index.ts';
import type { Captor } from '../../session/workspace/capture.ts';
import type { BoundWorkspace } from '../../session/workspace/types.ts';

/** Which files a node sees: the run's, a copy of its own, none that are kept. */
export type PlaceKind = 'run' | 'own' | 'none';

/** What a node does with files. */
export interface FileUse {
  readonly kind: PlaceKind;
  readonly access: 'none' | 'read' | 'write';
}

/** Where a node works, from its effect's start to its exit. */
export interface NodePlace {
  readonly use: FileUse;
  /** Host path of the files. */
  readonly path: string;
  readonly workspace: BoundWorkspace;
  /** Opened by the first command. */
  readonly sandbox: Sandbox;
  /** Absent where nothing is kept. */
  readonly captor?: Captor;
  /** What is to be recorded before anything is done there. */
  readonly events: readonly EventDraft[];
  /** Lets go of them; `isDone`: the node has finished or failed, and what it did is in its checkpoint. */
  release(isDone: boolean): void;
}
