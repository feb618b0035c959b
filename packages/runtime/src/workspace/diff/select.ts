/**
 * What an agent changed between a state and a checkpoint, path by path, told apart by kind.
 *
 * 1. A path that a checkpoint does not hold for a reason of its own (too large, a sparse checkout) is no deletion.
 */

import {
  type BytePath,
  type CheckpointContents,
  listChanges,
  renderBytePath,
  type TreeSide,
  type TreeSource,
} from '../checkpoint/index.ts';
import { git, splitNul } from '../git/index.ts';
import type { Project } from '../types.ts';
import { type FileKind, type KindSource, readKindSource } from './kinds.ts';
import type { Scratch } from './scratch.ts';
import { nameTree } from './tree-names.ts';

export interface SelectedChange {
  readonly path: BytePath;
  readonly kind: FileKind;
  /** Null on the side where it does not exist. Mode 160000: a link to another repository. */
  readonly from: TreeSide | null;
  readonly to: TreeSide | null;
}

export interface SelectRequest {
  readonly project: Project;
  readonly scratch: Scratch;
  readonly from: TreeSource;
  /** The other checkpoint's contents, where `from` is one. */
  readonly fromContents: CheckpointContents | null;
  readonly to: CheckpointContents;
}

const GITLINK = '160000';

/** Lists what changed, each with its kind; of links only those the agent's index changed. */
export async function selectChanges(request: SelectRequest): Promise<SelectedChange[]> {
  const { project, scratch, from, fromContents, to } = request;
  const changes = await listChanges(project, from, { kind: 'checkpoint', id: to.id });
  const after = await readKindSource(project, to, scratch);
  const before = fromContents === null ? null : await readKindSource(project, fromContents, scratch);
  const present = await after.findKinds(changes.filter((change) => change.to !== null).map((change) => change.path));
  const gone = changes.filter((change) => change.to === null && !isLeftOut(after, change.path));
  const past = before === null ? null : await before.findKinds(gone.map((change) => change.path));
  const selected: SelectedChange[] = [];
  for (const { path, from: side, to: next } of changes) {
    const kind = present.get(path);
    if (kind !== undefined) selected.push({ path, kind, from: side, to: next });
  }
  for (const { path, from: side } of gone) {
    selected.push({ path, kind: past?.get(path) ?? 'tracked', from: side, to: null });
  }
  if (before === null) selected.push(...(await selectLinks(project, from, after)));
  return selected.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** Of two lists of changes since one state: where the second leads elsewhere than the first. */
export function changesSince(before: readonly SelectedChange[], after: readonly SelectedChange[]): SelectedChange[] {
  const earlier = new Map(before.map((change) => [change.path, change]));
  const later = new Set(after.map(({ path }) => path));
  const changed = after.flatMap((change): SelectedChange[] => {
    const was = earlier.get(change.path);
    if (was === undefined) return [change];
    return isSameSide(was.to, change.to) ? [] : [{ ...change, from: was.to }];
  });
  // Back to what the common state has.
  const undone = before.filter(({ path }) => !later.has(path)).map((was) => ({ ...was, from: was.to, to: was.from }));
  return [...changed, ...undone];
}

/** Whether a path is the same on two sides. */
export function isSameSide(one: TreeSide | null, other: TreeSide | null): boolean {
  return one?.oid === other?.oid && one?.mode === other?.mode;
}

function isLeftOut({ contents, index }: KindSource, path: BytePath): boolean {
  if (index?.isSkipped(path)) return true;
  const shown = renderBytePath(path);
  return contents.manifest.leftOut.some((item) => shown === item.path || shown.startsWith(`${item.path}/`));
}

async function selectLinks(project: Project, from: TreeSource, after: KindSource): Promise<SelectedChange[]> {
  const { index } = after;
  if (index === null) return [];
  const old = await listLinks(project, from);
  const files = new Set(after.contents.entries.map((entry) => entry.path));
  const selected: SelectedChange[] = [];
  for (const path of new Set([...old.keys(), ...index.links.keys()])) {
    const [was, is] = [old.get(path), index.links.get(path)];
    // A file in a link's place is a change of its own.
    if (was === is || files.has(path) || index.isSkipped(path)) continue;
    selected.push({ path, kind: 'tracked', from: sideOf(was), to: sideOf(is) });
  }
  return selected;
}

function sideOf(oid: string | undefined): TreeSide | null {
  return oid === undefined ? null : { mode: GITLINK, oid };
}

async function listLinks(project: Project, from: TreeSource): Promise<Map<BytePath, string>> {
  const { stdout } = await git({
    gitDir: project.storeGit,
    args: ['ls-tree', '-r', '-z', '--full-tree', nameTree(from)],
  });
  const links = new Map<BytePath, string>();
  for (const line of splitNul(stdout)) {
    const [, oid, path] = /^160000 commit ([0-9a-f]+)\t([\s\S]*)$/.exec(line.toString('latin1')) ?? [];
    if (oid !== undefined && path !== undefined) links.set(path, oid);
  }
  return links;
}
