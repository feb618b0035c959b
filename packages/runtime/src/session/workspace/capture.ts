/** Checkpoints of a bound workspace, taken while no process of the run lives. */
import { Failure } from '@ramet/core';
import type { Configuration } from '../../config/index.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import { captureCheckpoint, workspaceDiffers } from '../../workspace/checkpoint/index.ts';
import {
  type CaptureRequest,
  type CheckpointRecord,
  DEFAULT_CAPTURE_LIMITS,
  type WorkspaceHandle,
} from '../../workspace/types.ts';
import { withProjectShared } from './project-lock.ts';
import type { BoundWorkspace, CaptureFrom, CheckpointTaken } from './types.ts';

export interface Captor {
  /** Takes a checkpoint and hands it to `settle`, which makes the event that names it durable. */
  capture(from: CaptureFrom, settle: (taken: CheckpointTaken) => Promise<void>): Promise<void>;
  /** Whether the live files differ from a checkpoint. */
  differs(checkpoint: string): Promise<boolean>;
}

export interface CaptorOptions {
  readonly workspace: BoundWorkspace;
  readonly sandbox: Sandbox;
  readonly privateFolder: string;
  readonly configuration: Configuration;
}

/** What takes a workspace's checkpoints; a kind without any says why. */
export function makeCaptor(options: CaptorOptions): Captor {
  const { workspace, sandbox, privateFolder, configuration } = options;
  const { project } = workspace;
  if (workspace.kind !== 'git' || project === null) {
    const why = workspace.kind === 'directory' ? 'directory' : 'no workspace';
    return { capture: (_, settle) => settle({ kind: 'none', why }), differs: async () => false };
  }
  const handle: WorkspaceHandle = { project, path: workspace.path, privateFolder, sandbox };
  const { carry, captureIgnored } = configuration;
  return {
    capture: (from, settle) =>
      withProjectShared(project, async () => {
        const request = { workspace: handle, ...from, carry, captureIgnored, limits: DEFAULT_CAPTURE_LIMITS };
        await settle(await captureAnyway(request).then(taken, failed));
      }),
    differs: async (checkpoint) => {
      const request = { workspace: handle, checkpoint, carry, captureIgnored, limits: DEFAULT_CAPTURE_LIMITS };
      return workspaceDiffers(request).catch((error: unknown) => {
        // What is not there, or cannot be compared, equals nothing.
        if (error instanceof Failure) return true;
        throw error;
      });
    },
  };
}

/** The previous checkpoint only makes a capture cheaper: one that is gone must not keep the next from being taken. */
async function captureAnyway(request: CaptureRequest): Promise<CheckpointRecord> {
  try {
    return await captureCheckpoint(request);
  } catch (error) {
    if (request.previous === null || !(error instanceof Failure) || error.code === 'interrupted') throw error;
    return captureCheckpoint({ ...request, previous: null });
  }
}

function taken(record: CheckpointRecord): CheckpointTaken {
  return { kind: 'taken', record };
}

function failed(error: unknown): CheckpointTaken {
  if (error instanceof Failure) return { kind: 'failed', why: error.message };
  throw error;
}
