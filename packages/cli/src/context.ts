/** What a command is given of the world; tests give it another one. */
import type { ExitCode } from '@ramet/core/codes';
import type { CommandContext } from '@stricli/core';

/** Where text goes. */
export interface Output {
  write(text: string | Uint8Array): void;
  /** Waits until the reader has caught up; for output that would not fit in memory. */
  drain(): Promise<void>;
  readonly isTerminal: boolean;
  readonly hasColor: boolean;
  /** Of the terminal; absent when it is none. */
  readonly columns?: number | undefined;
}

/** The person's Ctrl-C. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** The signal of the process that did it; null before, and where `interrupt` did. */
  readonly cause: () => NodeJS.Signals | null;
  /** The same as a first Ctrl-C. */
  interrupt(): void;
}

export interface CliContext extends CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds since some moment, for durations. */
  readonly elapsed: () => number;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly stdin: { readonly isTerminal: boolean; read(): Promise<Uint8Array> };
  readonly stdout: Output;
  readonly stderr: Output;
  /** From the first call on, the first Ctrl-C aborts the signal and a second one kills; before, the first one kills. */
  readonly watchInterruption: () => Interruption;
  exit(code: ExitCode): void;
}

/** Whether somebody is there to answer a question. */
export function isInteractive(context: Pick<CliContext, 'stdin' | 'stderr'>): boolean {
  return context.stdin.isTerminal && context.stderr.isTerminal;
}
