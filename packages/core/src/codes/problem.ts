/** What went wrong, as every caller is told: a refusal that was returned, a failure that was thrown, or a bug. */
import type { Refusal } from './refusal.ts';
import { type Code, isCode } from './table.ts';

/** Something that went wrong, as it is told. */
export type ProblemReport = Pick<Refusal, 'code' | 'message' | 'data'>;

/** A problem as one object: `code` and `message`, and beside them what that code tells. */
export interface DescribedProblem {
  readonly code: Code;
  readonly message: string;
  readonly [field: string]: unknown;
}

/** Describes a problem; its data hides neither its code nor its message. */
export function describeProblem({ code, message, data }: ProblemReport): DescribedProblem {
  return Object.assign({ code, message }, data, { code, message });
}

/**
 * What a thrown value is told as: a failure by its code; anything else is a bug of ours or of the machine, in one line
 * without a stack. `hint` ends that line.
 */
export function describeError(error: unknown, hint = ''): ProblemReport {
  const { code, data } = (error ?? {}) as { readonly code?: unknown; readonly data?: unknown };
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Error && error.name === 'Failure' && isCode(code)) {
    return { code, message, data: typeof data === 'object' && data !== null ? { ...data } : {} };
  }
  const [line] = message.split('\n', 1);
  const advice = error instanceof Error && typeof code === 'string' ? DISK_ADVICE.get(code) : undefined;
  if (advice !== undefined) return { code: 'disk_failed', message: `${line}; ${advice}`, data: { reason: code } };
  return { code: 'internal_error', message: `unexpected: ${line}${hint}`, data: {} };
}

/** What the system says of a disk may be thrown wherever a file is written, a temporary one too: it is no bug. */
const DISK_ADVICE: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'the disk is full: free some space and try again'],
  ['EDQUOT', 'the disk quota is used up: free some space and try again'],
  ['EROFS', 'the file system is read-only'],
  ['EIO', 'the disk or its file system is failing'],
]);
