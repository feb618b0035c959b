/** Sessions made of an agent's conversation in answers: what one holds, and what comes back of the files. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeOrigin } from '@ramet/core';
import type { ConversationResult } from '../fork/index.ts';
import { bytesOfRun } from '../inspect/index.ts';
import type { FileStore } from '../store/index.ts';
import type { DescribedFork, DescribedRestore } from './session-fork.ts';

/** Such a session, made or planned: as a fork of one, of which nothing is outstanding. */
export interface DescribedConversation extends DescribedFork {
  readonly forkedFrom: NodeOrigin;
  /** How many turns were taken over. */
  readonly turns: number;
  readonly outstanding: readonly [];
}

/** Describes a session that was made of a conversation, or would be. */
export function describeConversation(store: FileStore, made: ConversationResult): DescribedConversation {
  const { session, forkedFrom, turns, bytes } = made;
  return {
    session,
    ...(session === null ? { dryRun: true } : {}),
    forkedFrom,
    turns,
    workspace: describeRestore(store, made),
    outstanding: [],
    bytes: session === null ? bytes : bytesOfRun(store.pathsOf(session)),
  };
}

function describeRestore(store: FileStore, { project, workspace }: ConversationResult): DescribedRestore {
  const { kind, checkpoint, why, leftOut } = workspace;
  if (kind === 'directory') {
    return { kind, restorable: false, reason: 'the live folder is shared, not restored', leftOut: [] };
  }
  if (kind === 'none') return { kind, restorable: false, reason: 'the node had no files', leftOut: [] };
  if (checkpoint === null) return { kind, restorable: false, reason: why ?? 'no reason is recorded', leftOut: [] };
  const storeGit = join(store.layout.projects, project ?? '', 'store.git');
  if (project !== null && existsSync(storeGit)) return { kind, restorable: true, checkpoint, leftOut };
  const reason = `the checkpoints of its project are gone (${storeGit})`;
  return { kind, restorable: false, checkpoint, reason, leftOut: [] };
}
