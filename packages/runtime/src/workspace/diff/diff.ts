/**
 * What an agent changed, as a list and as a unified diff, from the project's stores alone.
 *
 * 1. No program named by a config or an attribute runs: the diff is made in a scratch repository of ours.
 * 2. Names and content are the agent's bytes: whoever shows them on a terminal escapes them.
 */
import { isUtf8 } from 'node:buffer';
import { Failure, isRefusal } from '@ramet/core/codes';
import { conversionEntries, readAttributes } from '../checkout/shadow.ts';
import { type CheckpointContents, readCheckpoint, renderBytePath, type TreeSource } from '../checkpoint/index.ts';
import { readObjectFormat } from '../checkpoint/objects/format.ts';
import { readPersonConfig } from '../git/index.ts';
import { findRepository } from '../project/index.ts';
import type { LeftOut, Project } from '../types.ts';
import type { FileKind } from './kinds.ts';
import { type ListedDiff, parseListing } from './listing.ts';
import { closeScratch, openScratch, type Scratch, type ScratchOptions, withScratch } from './scratch.ts';
import { changesSince, type SelectedChange, selectChanges } from './select.ts';
import { mayConvert, writeSelectedTree } from './selected-tree.ts';
import { emptyTree, nameTree } from './tree-names.ts';

export interface DiffRequest {
  readonly project: Project;
  /** What to compare with: the run's base commit, another checkpoint, or null for nothing (an unborn repository). */
  readonly from: { readonly kind: 'checkpoint' | 'commit'; readonly id: string } | null;
  /**
   * A checkpoint of the person's uncommitted changes that came along on top of the commit: what it holds is theirs, and no
   * change of the agent's. Absent or null: none did.
   */
  readonly opening?: string | null;
  /** A checkpoint. */
  readonly to: string;
  /** Show files that ignore rules hide, too. Absent: no. */
  readonly ignored?: boolean;
}

export interface DiffFile extends ListedDiff {
  readonly kind: FileKind;
  readonly binary: boolean;
  /** The path as text: bytes that are not UTF-8 and control characters as `\xNN`. */
  readonly shown: string;
  readonly oldShown: string | null;
  /** Whether the path (and the old one) is UTF-8, so that JSON can mark those that are not. */
  readonly utf8: boolean;
}

export interface CheckpointDiff {
  readonly files: readonly DiffFile[];
  /** Changes that are not shown: ignored files, and files of repositories inside the workspace. */
  readonly hidden: { readonly ignored: number; readonly nested: number };
  /** What the checkpoint does not hold, so that no diff can tell. */
  readonly leftOut: readonly LeftOut[];
  /** The unified diff as git writes it (`Binary files differ` for binary ones), computed anew by each call. */
  patch(): AsyncGenerator<Buffer, void>;
}

/** Compares a checkpoint with a commit or another checkpoint. Throws `checkpoint_missing` or `git_failed`. */
export async function diffCheckpoint(request: DiffRequest): Promise<CheckpointDiff> {
  const to = await readCheckpoint(request.project, request.to);
  const options = await readConversion(request.project);
  return withScratch(request.project, options, async (scratch) => {
    const sides = await prepareSides(request, to, { scratch, options });
    const { stdout } = await scratch.run({ args: ['diff-tree', ...LISTING, ...OPTIONS, sides.from, sides.to] });
    const kinds = new Map(sides.changes.map((change) => [change.path, change.kind]));
    return {
      files: parseListing(stdout).map((file) => describeFile(file, kinds.get(file.path) ?? 'tracked')),
      hidden: sides.hidden,
      leftOut: to.manifest.leftOut,
      patch: () => streamPatch(request, to, options),
    };
  });
}

const LISTING = ['-r', '--raw', '--numstat', '-z'] as const;
const OPTIONS = ['-M', '--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=none'] as const;

interface Sides {
  readonly from: string;
  readonly to: string;
  readonly changes: readonly SelectedChange[];
  readonly hidden: CheckpointDiff['hidden'];
}

async function prepareSides(
  request: DiffRequest,
  to: CheckpointContents,
  { scratch, options }: { readonly scratch: Scratch; readonly options: ScratchOptions },
): Promise<Sides> {
  const { project } = request;
  const from: TreeSource = request.from ?? emptyTree(await readObjectFormat(project.storeGit));
  const fromContents = from.kind === 'checkpoint' ? await readCheckpoint(project, from.id) : null;
  const isShown = ({ kind }: SelectedChange) => kind !== 'nested' && (kind !== 'ignored' || request.ignored === true);
  const write = async (contents: CheckpointContents, changes: readonly SelectedChange[]) => {
    const convert = from.kind !== 'checkpoint' && mayConvert(contents, options.config ?? []);
    return writeSelectedTree({ project, scratch, from, changes: changes.filter(isShown), to: contents, convert });
  };
  const opening = request.opening ?? null;
  const opened = opening === null ? null : await readCheckpoint(project, opening);
  const before = opened === null ? [] : await selectChanges({ project, scratch, from, fromContents, to: opened });
  const all = await selectChanges({ project, scratch, from, fromContents, to });
  const changes = opened === null ? all : changesSince(before, all);
  const hidden = changes.filter((change) => !isShown(change));
  const count = (kind: FileKind) => hidden.filter((change) => change.kind === kind).length;
  return {
    from: opened === null ? nameTree(from) : await write(opened, before),
    to: await write(to, all),
    changes,
    hidden: { ignored: count('ignored'), nested: count('nested') },
  };
}

async function* streamPatch(
  request: DiffRequest,
  to: CheckpointContents,
  options: ScratchOptions,
): AsyncGenerator<Buffer, void> {
  const scratch = await openScratch(request.project, options);
  try {
    const sides = await prepareSides(request, to, { scratch, options });
    const running = await scratch.start(['diff-tree', '-r', '-p', ...OPTIONS, sides.from, sides.to]);
    try {
      running.process.stdin.end();
      for await (const chunk of running.process.stdout) yield chunk as Buffer;
      await running.ended;
    } finally {
      running.process.kill();
    }
  } finally {
    await closeScratch(scratch);
  }
}

/** How the person's git converts content, for scratch repositories; nothing where the repository is gone. */
export async function readConversion(project: Project): Promise<ScratchOptions> {
  const repository = await findRepository(project.checkout).catch(() => null);
  if (repository === null || isRefusal(repository)) return {};
  try {
    const config = conversionEntries(await readPersonConfig(repository.gitDir));
    return { config, attributes: await readAttributes(repository) };
  } catch (error) {
    // A config git cannot read is the person's to repair; what the agent did can be shown all the same.
    if (error instanceof Failure && error.code === 'git_failed') return {};
    throw error;
  }
}

function describeFile(file: ListedDiff, kind: FileKind): DiffFile {
  const names = file.oldPath === null ? [file.path] : [file.path, file.oldPath];
  return {
    ...file,
    kind,
    binary: file.additions === null,
    shown: renderBytePath(file.path),
    oldShown: file.oldPath === null ? null : renderBytePath(file.oldPath),
    utf8: names.every((name) => isUtf8(Buffer.from(name, 'latin1'))),
  };
}
