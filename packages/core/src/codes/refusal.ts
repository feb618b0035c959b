import type { Code } from './table.ts';

/** An expected "no": returned, never thrown. `message` is one clear line; `data` is JSON and goes into `--json`. */
export interface Refusal {
  readonly kind: 'refusal';
  readonly code: Code;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Makes a refusal; `data` is shown to programs beside `code` and `message`. */
export function refuse(code: Code, message: string, data: Record<string, unknown> = {}): Refusal {
  return { kind: 'refusal', code, message, data };
}

/** Whether a returned value is a refusal. */
export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'refusal';
}

/** An edge failure (disk, git, network): thrown, with a code, JSON data, and the cause. */
export class Failure extends Error {
  readonly code: Code;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: Code, message: string, options: { data?: Record<string, unknown>; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Failure';
    this.code = code;
    this.data = options.data ?? {};
  }
}

/** Throws when an assumption of our own code does not hold: a bug, never a person's mistake. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`bug: ${message}`);
}
