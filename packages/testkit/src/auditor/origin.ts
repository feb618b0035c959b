import { readableType } from './events.ts';
import type { AuditedLine, Fields } from './lines.ts';

const DIGEST = /^[0-9a-f]{64}$/;

/** Whether a log's event 0 starts a graph run. */
export function startsRun(line: AuditedLine | undefined): boolean {
  return line?.offset === 0 && readableType(line) === 'graph.start';
}

/** What event 0 of a forked run says of its descent; null when it says nothing that can be followed. */
export interface Origin {
  readonly id: string;
  readonly offset: number;
  readonly digest: string;
  readonly sourceEvent0Digest: string;
  readonly fromNode: string;
  readonly visit: number;
  readonly graphHash: unknown;
  readonly acknowledgedWrites: readonly unknown[];
}

/** Reads `forkedFrom` of event 0: undefined when it is absent, null when it lacks what a fork needs. */
export function readOrigin(line: AuditedLine | undefined): Origin | null | undefined {
  const { forkedFrom } = line?.event ?? {};
  if (line === undefined || !startsRun(line) || forkedFrom === undefined) return undefined;
  if (typeof forkedFrom !== 'object' || forkedFrom === null) return null;
  const fields = forkedFrom as Fields;
  const { id, offset, visit, fromNode, digest, sourceEvent0Digest, graphHash, acknowledgedWrites, time } = fields;
  const counts = [offset, visit].every((value) => Number.isSafeInteger(value) && (value as number) >= 0);
  const digests = [digest, sourceEvent0Digest, graphHash].every((value) => DIGEST.test(String(value)));
  const texts = [id, fromNode, time].every((value) => typeof value === 'string');
  return counts && digests && texts && Array.isArray(acknowledgedWrites) ? (fields as unknown as Origin) : null;
}
