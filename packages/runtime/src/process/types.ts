/** Where standard output goes: kept in memory up to a limit, or written to a new file of ours (0600) without limit. */
export type ProcessSink =
  | { readonly kind: 'collect'; readonly limitBytes: number }
  | { readonly kind: 'file'; readonly path: string };

export interface ProcessSpec {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The whole environment of the child: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Absent: end of file at once. */
  readonly stdin?: Uint8Array | AsyncIterable<Uint8Array>;
  readonly stdout: ProcessSink;
  readonly stderrLimitBytes: number;
  /** As `tailBytes` of stdout. */
  readonly stderrTailBytes?: number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** A command in `argv` waits at a gate, descriptor 3, until it is let through: not when this process was killed meanwhile. */
  readonly gated?: boolean;
  /** Descriptors of this process handed over as 3, 4, ..., after a gate (a sandbox's filter and status). */
  readonly descriptors?: readonly number[];
  /** Output through real pipes, which a command can open again as `/dev/stdout`; where there are none, as usual. */
  readonly realPipes?: boolean;
  /** Called with each piece of output as it arrives, kept or not. */
  readonly onStdout?: (chunk: Buffer) => void;
  readonly onStderr?: (chunk: Buffer) => void;
}

export interface ProcessOutcome {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Bytes kept; empty with a file sink. */
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** Bytes of stdout or stderr were dropped because a limit was reached. */
  readonly truncated: boolean;
  /** How many, between the head and the tail. */
  readonly droppedBytes: { readonly stdout: number; readonly stderr: number };
  readonly timedOut: boolean;
  /** The caller's `signal` ended it. */
  readonly aborted: boolean;
}
