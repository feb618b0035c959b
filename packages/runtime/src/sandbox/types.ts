/**
 * What the rest of Ramet knows of a sandbox: it runs commands an agent chose, in one workspace.
 *
 * 1. The workspace is always at `guestPath` for the command (`/work` under bubblewrap, its real path without one).
 * 2. When `run` returns, no process the command started is alive (under bubblewrap; without one, its process group
 *    was killed, which a hostile program can leave).
 * 3. A command sees of `$HOME` and `$RAMET_HOME` what `SandboxView` names, and nothing else.
 */

export type SandboxKind = 'bubblewrap' | 'none';

/** What the commands of one turn may see; host paths. */
export interface SandboxView {
  /** The run's workspace: writable. */
  readonly workspace: string;
  /** Writable, empty at the start of a turn; `/tmp` of the command, HOME is `/tmp/home` in it. */
  readonly scratch: string;
  /** Mounted read-only at their own host path: the project's `base.git`. */
  readonly readOnly: readonly string[];
  /** Paths relative to the workspace that are read-only to the agent (`.git/hooks` of a directory workspace). */
  readonly frozen: readonly string[];
  /** Identity for the generated git config; absent when the person has none: then "Ramet agent". */
  readonly identity?: { readonly name: string; readonly email: string };
  /** Host paths no toolchain folder of PATH may bring in: the state folder, the person's checkout. */
  readonly hidden?: readonly string[];
}

/** Where a command's output goes: collected up to a limit, or written to a new file of ours (0600). */
export type OutputSink =
  | {
      readonly kind: 'collect';
      readonly limitBytes: number;
      /** How many of `limitBytes` are kept from the end of the output; what lies between head and tail is dropped. */
      readonly tailBytes?: number;
    }
  | {
      readonly kind: 'file';
      readonly path: string;
      /** Under bubblewrap: a command that writes more is ended by SIGXFSZ, whichever file it writes to. */
      readonly limitBytes?: number;
    };

export interface SandboxCommand {
  readonly argv: readonly [string, ...string[]];
  /** Relative to the workspace; '' is its root. */
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Absent: no stdin (end of file at once). */
  readonly stdin?: Uint8Array;
  readonly stdout: OutputSink;
  /** Bytes of standard error kept. */
  readonly stderrLimitBytes: number;
  /** As `tailBytes` of stdout. */
  readonly stderrTailBytes?: number;
  /** Called with each piece of output as it arrives, kept or not. */
  readonly onStdout?: (chunk: Uint8Array) => void;
  readonly onStderr?: (chunk: Uint8Array) => void;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Hosts the command may reach through the recording proxy (`example.org`, `*.example.org`, `host:port`); none: no network. */
  readonly allowNet?: readonly string[];
  /** Told once of each destination that the proxy refuses, in a sentence. */
  readonly onRefusedEgress?: (sentence: string) => void;
}

export interface CommandOutcome {
  /** Null when a timeout or an abort ended it. Under bubblewrap a command ended by signal n exits with 128 + n. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Bytes kept; with a file sink, empty. */
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  /** Bytes were dropped from stdout or stderr because a limit was reached. */
  readonly truncated: boolean;
  /** How many bytes were dropped between head and tail. */
  readonly droppedBytes: { readonly stdout: number; readonly stderr: number };
  readonly timedOut: boolean;
  /** The caller's `signal` ended it. */
  readonly aborted: boolean;
  /** `host:port` of everything the proxy connected to or looked up the name of, in order, each once. */
  readonly egress: readonly string[];
  /** `host:port` of everything the proxy refused, in order, each once. */
  readonly refusedEgress: readonly string[];
}

export interface Sandbox {
  readonly kind: SandboxKind;
  /** The workspace's path as a command sees it. */
  readonly guestPath: string;
  /** Throws `Failure('process_failed')` when the command could not be started at all. */
  run(command: SandboxCommand): Promise<CommandOutcome>;
}
