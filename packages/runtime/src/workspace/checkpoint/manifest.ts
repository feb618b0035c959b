/**
 * What trees cannot say of a workspace, as one JSON blob of the checkpoint: permission bits, empty folders, what was
 * left out, and which index entries agreed with their files.
 *
 * 1. A pure function of the workspace's state: equal states give equal bytes. Paths are `BytePath`s.
 * 2. Modes are whole (07777) and only listed where they differ from the usual one of their kind.
 */
import { Failure } from '@ramet/core/codes';
import type { LeftOut } from '../types.ts';
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

/** The most common mode of each kind, so that few paths are listed. */
export function findUsualModes(entries: Iterable<{ kind: string; mode: number }>): UsualModes {
  const counts = {
    file: new Map<number, number>(),
    program: new Map<number, number>(),
    folder: new Map<number, number>(),
  };
  for (const { kind, mode } of entries) {
    const key = kind === 'folder' ? 'folder' : isProgram(mode) ? 'program' : 'file';
    if (kind !== 'link') counts[key].set(mode, (counts[key].get(mode) ?? 0) + 1);
  }
  return {
    file: mostCommon(counts.file, 0o644),
    program: mostCommon(counts.program, 0o755),
    folder: mostCommon(counts.folder, 0o755),
  };
}

/** Whether git stores the mode as 100755. */
export function isProgram(mode: number): boolean {
  return (mode & 0o100) !== 0;
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
