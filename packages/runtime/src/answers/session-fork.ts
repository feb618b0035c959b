/** Forks of sessions in answers: what a child holds, what comes back, what is not undone. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { decodeValue, type ForkOrigin, knownEvent, type LeftOutEntry, type RunId, type WriteHazard } from '@ramet/core';
import type { ForkResult } from '../fork/index.ts';
import { type Bytes, bytesOfRun } from '../inspect/index.ts';
import type { FileStore } from '../store/index.ts';

/** A fork of a session, made or planned. */
export interface DescribedFork {
  /** Null of a dry run. */
  readonly session: RunId | null;
  readonly dryRun?: true;
  readonly forkedFrom: ForkOrigin;
  readonly workspace: DescribedRestore;
  /** Writes that the fork does not undo. */
  readonly outstanding: readonly WriteHazard[];
  readonly bytes: Bytes;
}

/** What becomes of the files. */
export interface DescribedRestore {
  readonly kind: string;
  /** Whether the files of that turn come back when the child first runs. */
  readonly restorable: boolean;
  readonly checkpoint?: string;
  /** Why they do not. */
  readonly reason?: string;
  /** What the checkpoint does not hold. */
  readonly leftOut: readonly LeftOutEntry[];
}

/** Describes a fork, made or planned. */
export function describeFork(store: FileStore, source: RunId, result: ForkResult): DescribedFork {
  const { session, forkedFrom, plan, bytes } = result;
  return {
    session,
    ...(session === null ? { dryRun: true } : {}),
    forkedFrom,
    workspace: describeRestore(store, session ?? source, result),
    outstanding: plan.outstanding,
    // Of one that is not there yet only the lines of its log are known.
    bytes: session === null ? bytes : bytesOfRun(store.pathsOf(session)),
  };
}

/** Child and source hold the same lines up to the boundary. */
function describeRestore(store: FileStore, holder: RunId, { plan }: ForkResult): DescribedRestore {
  const { workspace: kind, boundary, project } = plan;
  const { checkpoint, offset } = boundary;
  if (kind === 'directory') {
    return { kind, restorable: false, reason: 'the live folder is shared, not restored', leftOut: [] };
  }
  if (kind === 'none') return { kind, restorable: false, reason: 'the session has no workspace', leftOut: [] };
  const range = { from: Math.max(0, offset - 1), to: offset };
  const log = store.read(holder);
  const events = [...(log?.readEvents(range) ?? [])].map((event) => knownEvent(event));
  if (checkpoint === null) {
    const end = events.find((event) => event?.type === 'session.end');
    const why = end?.type === 'session.end' ? end.why : undefined;
    const reason = `that turn has no checkpoint: ${why ?? 'no reason is recorded'}`;
    return { kind, restorable: false, reason, leftOut: [] };
  }
  const storeGit = join(store.layout.projects, project ?? '', 'store.git');
  if (project === null || !existsSync(storeGit)) {
    const reason = `the checkpoints of its project are gone (${storeGit})`;
    return { kind, restorable: false, checkpoint, reason, leftOut: [] };
  }
  const taken = events.find((event) => event?.type === 'workspace.checkpoint');
  const leftOut = taken?.type === 'workspace.checkpoint' && Array.isArray(taken.leftOut) ? taken.leftOut : [];
  // A long name lies beside the log.
  const decode = (entry: unknown): unknown => decodeValue(entry, (digest) => log?.readPayload(digest) ?? null);
  return { kind, restorable: true, checkpoint, leftOut: leftOut.map((entry) => decode(entry) as LeftOutEntry) };
}
