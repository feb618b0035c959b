/**
 * What trees cannot say of a workspace, as one JSON blob of the checkpoint: permission bits, empty folders, what was
 * left out, and which index entries agreed with their files.
 *
 * 1. A pure function of the workspace's state: equal states give equal bytes. Paths are `BytePath`s.
 * 2. Modes are whole (07777) and only listed where they differ from the usual one of their kind.
 */
import { Failure } from '@ramet/core/codes';
import type { LeftOut } from '../types.ts';
import { isProgram } from './folder/file-table.ts';
import type { BytePath } from './folder/names.ts';

export interface Manifest {
  readonly format: 1;
  readonly git: GitCondition;
  /** Whether the git directory had a folder for objects; those themselves are kept as objects. */
  readonly hasObjects: boolean;
  readonly head: string;
  readonly commit: string | null;
  /** Objects that refs name and that did not exist for the agent either. */
  readonly missing: readonly string[];
  readonly operation: string | null;
  /** Files and links of the working tree, and their bytes. */
  readonly files: number;
  readonly bytes: number;
  /** The workspace's own path where commands saw it there (no sandbox); null where they saw a fixed one. */
  readonly seenAt: string | null;
  readonly modes: UsualModes;
  /** Paths with another mode; '' is the root. */
  readonly odd: readonly (readonly [path: BytePath, mode: number])[];
  /** Folders that hold nothing captured. */
  readonly folders: readonly BytePath[];
  /** At most `LEFT_OUT_LIMIT`; `leftOutCount` is all of them. */
  readonly leftOut: readonly LeftOut[];
  readonly leftOutCount: number;
  /** Which entries of `.git/index` git trusted without reading their file. */
  readonly settled: SettledEntries;
}

/** Whether the workspace's git directory could be captured. `unusable` and `absent` say why in `reason`. */
export interface GitCondition {
  readonly state: 'complete' | 'absent' | 'unusable';
  readonly reason: string | null;
}

export interface UsualModes {
  readonly file: number;
  readonly program: number;
  readonly folder: number;
}

/** Entries whose stat fields matched their file: all of them but `except`, or none but those. */
export interface SettledEntries {
  readonly rule: 'all_except' | 'none_except';
  readonly except: readonly BytePath[];
  /** Those among them as young as the index itself, which git therefore compares by content. */
  readonly young: readonly BytePath[];
}

/** Most left-out paths a checkpoint names. */
export const LEFT_OUT_LIMIT = 200;

/** The manifest's bytes. */
export function renderManifest(manifest: Manifest): Buffer {
  return Buffer.from(JSON.stringify(manifest));
}

/** Parses a manifest; throws `Failure('restore_failed')` for one that is not ours or newer. */
export function parseManifest(bytes: Buffer, checkpoint: string): Manifest {
  let parsed: { format?: unknown };
  try {
    parsed = JSON.parse(bytes.toString());
  } catch {
    parsed = {};
  }
  if (parsed.format === 1) return parsed as Manifest;
  const found = JSON.stringify(parsed.format ?? null);
  throw new Failure(
    'restore_failed',
    `Checkpoint ${checkpoint} has manifest format ${found}, this Ramet reads 1: use a newer Ramet.`,
  );
}

/** The manifest without what differs between equal workspaces: their place, and what git cached of their times. */
export function renderComparable(manifest: Manifest): string {
  // Fields by name in one order, whatever order they were put together in.
  const comparable = Object.entries({ ...manifest, seenAt: null, settled: null }).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(comparable);
}

/** Finds the most common mode of each kind, so that few paths are listed. */
export class ModeCounts {
  readonly #files = new Map<number, number>();
  readonly #programs = new Map<number, number>();
  readonly #folders = new Map<number, number>();

  /** Counts the permission bits of a file or folder. */
  add(kind: 'file' | 'folder', mode: number): void {
    const counts = kind === 'folder' ? this.#folders : isProgram(mode) ? this.#programs : this.#files;
    counts.set(mode, (counts.get(mode) ?? 0) + 1);
  }

  findUsual(): UsualModes {
    return {
      file: mostCommon(this.#files, 0o644),
      program: mostCommon(this.#programs, 0o755),
      folder: mostCommon(this.#folders, 0o755),
    };
  }
}

function mostCommon(counts: ReadonlyMap<number, number>, usual: number): number {
  let best = usual;
  for (const [mode, count] of counts) {
    const lead = count - (counts.get(best) ?? 0);
    if (lead > 0 || (lead === 0 && mode < best && best !== usual)) best = mode;
  }
  return best;
}

/** The permission bits of every path of a checkpoint. */
export function makeModes(manifest: Manifest): (entry: { path: BytePath; mode: string }) => number {
  const odd = new Map(manifest.odd);
  return ({ path, mode }) =>
    odd.get(path) ??
    (mode === '40000' ? manifest.modes.folder : mode === '100755' ? manifest.modes.program : manifest.modes.file);
}
