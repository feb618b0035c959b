/** The sandbox of one turn, and its `/tmp`, which is empty at the start and gone at the end. */
import { join } from 'node:path';
import { Failure, type Refusal, type RunId } from '@ramet/core';
import { openSandbox, type Sandbox } from '../sandbox/index.ts';
import { type FileStore, makeFolder, removeTree } from '../store/index.ts';
import type { BoundWorkspace } from './workspace/types.ts';

export interface SandboxRequest {
  readonly id: RunId;
  readonly workspace: BoundWorkspace;
  readonly wanted: 'auto' | 'none';
}

/** Opens the sandbox of a turn over its workspace; what it hides is the person's checkout and the state folder. */
export async function openRunSandbox(store: FileStore, request: SandboxRequest): Promise<Sandbox | Refusal> {
  const scratch = scratchOf(store, request.id);
  removeTree(scratch);
  makeFolder(scratch);
  const { path, readOnly, frozen, identity, project } = request.workspace;
  const hidden = [store.layout.home, ...(project === null ? [] : [project.checkout, project.commonDir])];
  const view = { workspace: path, scratch, readOnly, frozen, hidden, ...(identity === undefined ? {} : { identity }) };
  return openSandbox(request.wanted === 'none' ? 'none' : 'bubblewrap', view);
}

/** Empties `/tmp`; answers why it could not be: it is emptied before the next turn then, and this one may end. */
export function emptyScratch(store: FileStore, id: RunId): string | null {
  try {
    removeTree(scratchOf(store, id));
    return null;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

/** `/tmp` of the turn's commands. */
function scratchOf(store: FileStore, id: RunId): string {
  return join(store.pathsOf(id).sandbox, 'tmp');
}
