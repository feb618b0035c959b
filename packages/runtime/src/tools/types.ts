import type { ToolOutput } from '@ramet/core';
import type { Sandbox } from '../sandbox/types.ts';

export type Effect = 'read' | 'idempotent' | 'write';

/** `unless_egress`: contained as long as the network proxy of the call recorded nothing. */
export type Contained = boolean | 'unless_egress';

/** What one call may use; made anew for each turn. */
export interface ToolContext {
  readonly sandbox: Sandbox;
  /** Host path of the workspace. */
  readonly workspace: string;
  /** The session's cwd, relative to the workspace ('' is its root). */
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Paths relative to the workspace that file tools refuse to change (as `SandboxView.frozen`). */
  readonly frozen?: readonly string[];
  /** Host path of the folder of all runs, to tell a path into another session from any other outside path. */
  readonly runsFolder?: string;
  /** Hosts `shell` may reach. */
  readonly allowNet: readonly string[];
  /** Most bytes of output kept for the model. */
  readonly outputLimitBytes: number;
  /** The call's idempotency key, for a receiver that honours it. */
  readonly key?: string;
  /** Live output for a person's eyes. */
  readonly onOutput?: (text: string) => void;
  /** A line for a person's eyes that is in no answer. */
  readonly onNotice?: (text: string) => void;
}

export interface ToolAnswer {
  readonly output: ToolOutput;
  /** What the call reached over the network. */
  readonly egress?: readonly string[];
  /** The person interrupted it. */
  readonly aborted?: boolean;
  /**
   * It may have been made and nobody answered: a connection that broke, a limit of time. `output` says why. A write that
   * is not contained then waits for a person, as after a crash.
   */
  readonly unknown?: boolean;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly effect: Effect;
  /** Input fields that are passed over when a call is held against writes a fork left outstanding. */
  readonly volatile?: readonly string[];
  /** Whether a call with this context can leave the workspace. */
  contained(context: Pick<ToolContext, 'sandbox' | 'allowNet'>): Contained;
  /** What permission globs are matched against: the command, the path. */
  subject(input: unknown): string;
  /** Runs one call. Wrong input and expected failures are answers (`error-text`), not exceptions. */
  run(input: unknown, context: ToolContext): Promise<ToolAnswer>;
  /**
   * After a crash in the middle of a contained call: the answer if the call shows as already applied, null to run it
   * again. Absent: reads run again, everything else is `outcome_unknown`.
   */
  recover?(input: unknown, context: ToolContext): Promise<ToolAnswer | null>;
}
