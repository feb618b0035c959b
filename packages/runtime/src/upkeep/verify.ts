/**
 * Checks a run against everything it claims: every byte of its log, its payloads, its descent and its checkpoints.
 *
 * 1. Nothing is believed, no index either.
 * 2. The log is locked shared, so that nobody appends meanwhile.
 * 3. A damaged file names every other run that holds the same one.
 */
import { join } from 'node:path';
import {
  deriveRunOverview,
  deriveSessionOverview,
  isRefusal,
  parseDigest,
  type Refusal,
  type RunId,
} from '@ramet/core';
import { type FileStore, type LogOutline, type SharedLog, sha256 } from '../store/index.ts';
import { verifyCheckpoint } from '../workspace/checkpoint/index.ts';
import { readProject } from '../workspace/project/index.ts';
import { type ConversationCheck, verifyConversation } from './conversation-descent.ts';
import { verifyDescent } from './descent.ts';
import { verifyDocument, verifyRunDescent } from './run-descent.ts';
import { findSharers } from './sharers.ts';

/** One thing that does not hold. */
export interface Problem {
  readonly kind: 'log' | 'payload' | 'descent' | 'checkpoint' | 'id' | 'document';
  readonly message: string;
  /** The file, below the run's folder. */
  readonly file?: string;
  readonly offset?: number;
  readonly checkpoint?: string;
  /** Other runs that hold the very same damaged file. */
  readonly sharedWith?: readonly RunId[];
}

export interface Verification {
  readonly id: RunId;
  readonly problems: readonly Problem[];
  readonly events: number;
  readonly bytes: number;
  /** Of the last line: it commits to every byte of the log. */
  readonly digest: string;
  /** What was checked. */
  readonly payloads: number;
  readonly forks: number;
  readonly checkpoints: number;
  /** The graph run whose node's conversation it was made of, when that is gone: there is nothing to compare it with. */
  readonly gone?: ConversationCheck['gone'];
  /** Bytes of an event a crash cut short: dropped by the next owner, not damage. */
  readonly tornBytes: number;
  /** Lines that lack a required field; kept and skipped. */
  readonly malformed: number;
}

/** Verifies one run; refuses with `unknown_run` or `owned_elsewhere`. */
export async function verifyRun(store: FileStore, id: RunId): Promise<Verification | Refusal> {
  const log = await store.share(id, { full: true });
  if (isRefusal(log)) return log;
  try {
    return await verifyShared(store, log);
  } finally {
    log.close();
  }
}

async function verifyShared(store: FileStore, log: SharedLog): Promise<Verification> {
  const outline = log.readOutline({ full: true });
  const overview = deriveSessionOverview(outline.heads) ?? deriveRunOverview(outline.heads);
  const payloads = verifyPayloads(store, log, outline);
  const isGraph = outline.heads[0]?.graph !== undefined;
  const descent = isGraph ? verifyRunDescent(store, log, outline) : verifyDescent(store, outline);
  const conversation = isGraph ? null : verifyConversation(store, log, outline);
  const checkpoints = await verifyCheckpoints(store, outline, overview);
  const problems = [
    ...verifyLog(store, log.id, outline),
    // What names the run may lie beyond the damage.
    ...(outline.damage === null ? verifyIdentity(log.id, overview) : []),
    ...payloads.problems,
    ...descent.problems,
    ...(conversation?.problems ?? []),
    ...verifyDocument(store, outline),
    ...checkpoints.problems,
  ];
  return {
    id: log.id,
    problems,
    events: overview?.events ?? 0,
    bytes: overview?.bytes ?? 0,
    digest: overview?.digest ?? '',
    payloads: payloads.count,
    forks: descent.count + (conversation === null ? 0 : 1),
    checkpoints: checkpoints.count,
    ...(conversation?.gone === undefined ? {} : { gone: conversation.gone }),
    tornBytes: outline.tornBytes,
    malformed: overview?.malformed ?? 0,
  };
}

function verifyLog(store: FileStore, id: RunId, outline: LogOutline): readonly Problem[] {
  const { damage } = outline;
  if (damage === null) return [];
  const { segment, line, byte, offset, expected, found } = damage;
  const file = join('log', segment);
  const message = `${file}, line ${line}, byte ${byte}: expected ${expected}, found ${found}`;
  return [{ kind: 'log', message, file, offset, ...sharedWith(store, id, file) }];
}

function verifyIdentity(id: RunId, overview: { readonly id: RunId } | null): readonly Problem[] {
  if (overview === null) return [{ kind: 'id', message: 'the log starts neither a session nor a graph run' }];
  if (overview.id === id) return [];
  return [{ kind: 'id', message: `the folder is named ${id}, its log says ${overview.id}` }];
}

interface Checked {
  readonly problems: readonly Problem[];
  readonly count: number;
}

function verifyPayloads(store: FileStore, log: SharedLog, outline: LogOutline): Checked {
  const problems: Problem[] = [];
  const seen = new Set<string>();
  outline.heads.forEach((head, segment) => {
    if (head.payloads === 0) return;
    for (const { digest, bytes, offset } of outline.readDetail(segment).payloads) {
      if (seen.has(digest)) continue;
      seen.add(digest);
      const wrong = findPayloadFault(log, digest, bytes);
      if (wrong === null) continue;
      const file = join('blobs', parseDigest(digest) ?? 'malformed');
      problems.push({
        kind: 'payload',
        message: `${file}: ${wrong}`,
        file,
        offset,
        ...sharedWith(store, log.id, file),
      });
    }
  });
  return { problems, count: seen.size };
}

function findPayloadFault(log: SharedLog, digest: string, size: number): string | null {
  if (parseDigest(digest) === null) return 'its name is no digest';
  const bytes = log.readPayload(digest);
  if (bytes === null) return 'the payload is missing';
  if (bytes.length !== size) return `the payload has ${bytes.length} bytes, its event says ${size}`;
  const actual = sha256(bytes);
  return actual === digest ? null : `the payload's digest is ${actual}`;
}

async function verifyCheckpoints(
  store: FileStore,
  outline: LogOutline,
  overview: { readonly project: string | null } | null,
): Promise<Checked> {
  const marks = outline.heads.flatMap((_, segment) => outline.readDetail(segment).checkpoints);
  const ids = new Set(marks.map(({ id }) => id));
  if (overview === null || overview.project === null || ids.size === 0) return { problems: [], count: 0 };
  const project = await readProject({ stateFolder: store.layout.home, id: overview.project });
  if (isRefusal(project)) return { problems: [{ kind: 'checkpoint', message: project.message }], count: ids.size };
  const problems: Problem[] = [];
  for (const checkpoint of ids) {
    const found = await verifyCheckpoint({ project, checkpoint });
    problems.push(...found.map((message) => ({ kind: 'checkpoint' as const, message, checkpoint })));
  }
  return { problems, count: ids.size };
}

function sharedWith(store: FileStore, id: RunId, file: string): { readonly sharedWith?: readonly RunId[] } {
  const others = findSharers(store, id, file);
  return others.length === 0 ? {} : { sharedWith: others };
}
