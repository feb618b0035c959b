import type { EventDraft, FileUse } from '@ramet/core';
import type { Sandbox } from '../../sandbox/index.ts';
import type { Captor } from '../../session/workspace/capture.ts';
import type { BoundWorkspace } from '../../session/workspace/types.ts';

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
