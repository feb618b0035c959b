import type { PermissionRule } from '../session/types.ts';

/** What the person's and the project's `ramet.json` amount to. */
export interface Configuration {
  readonly rules: readonly PermissionRule[];
  readonly model?: string;
  readonly carry: readonly string[];
  readonly captureIgnored: boolean;
  /** The project's file was confirmed, or there is none. */
  readonly trusted: boolean;
  /** What was not used because the file is not confirmed; for a warning. */
  readonly ignored: readonly string[];
  /** The project's file and its digest, when there is one. */
  readonly project?: { readonly path: string; readonly digest: string };
}

/** DESIGN's default: folders that hold what a project needs to run its tests. */
export const DEFAULT_CARRY: readonly string[] = ['node_modules', '.venv', 'vendor', 'target'];
