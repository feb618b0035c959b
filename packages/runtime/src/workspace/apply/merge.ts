/**
 * A three-way merge of an agent's changes with the person's HEAD, computed in a scratch repository: the state the run began
 * with (its base commit, and uncommitted changes that came along), the checkpoint's files without ignored ones, the
 * person's commit. Nothing of the person's is written.
 *
 * 1. Uncommitted changes of the person's take part only where the run began with them and they are still the same, or
 *    where a file is already what the agent made of it: so nothing they have not committed is merged, or lost.
 */
import { invariant, type Refusal, refuse } from '@ramet/core/codes';
import { type BytePath, renderBytePath, type TreeSide, type TreeSource } from '../checkpoint/index.ts';
import type { Scratch } from '../diff/scratch.ts';
import { isSameSide, type SelectedChange } from '../diff/select.ts';
import { writeSelectedTree } from '../diff/selected-tree.ts';
import { nameTree } from '../diff/tree-names.ts';
import { splitNul } from '../git/index.ts';
import { type ApplyPlace, sourceOf, writeTree } from './commit.ts';
import type { CheckoutView, SeenEntry } from './overlap.ts';
import { readWorkingFiles } from './working-files.ts';

export interface MergePlan {
  /** The merged tree, in the scratch repository. */
  readonly tree: string;
  readonly changes: readonly MergedChange[];
  /** What stood where the person's uncommitted files took part. */
  readonly taken: ReadonlyMap<BytePath, SeenEntry>;
}

/** One path the merge changes; modes as git's, null on the side where it does not exist. */
export interface MergedChange {
  readonly path: BytePath;
  readonly oldMode: string | null;
  readonly newMode: string | null;
}

const GITLINK = '160000';
const SHOWN_PATHS = 20;

/** Computes the merge; refuses with `apply_conflict` where both sides changed the same. */
export async function planMerge(place: ApplyPlace, view: CheckoutView): Promise<MergePlan | Refusal> {
  const { request, scratch, contents, opening } = place;
  const [base, head] = await Promise.all([sourceOf(place, request.base), sourceOf(place, view.head.commit)]);
  const { tree: theirs } = await writeTree(place, contents, base);
  const began = opening === null ? nameTree(base) : (await writeTree(place, opening, base)).tree;
  const states = { base: nameTree(base), began, theirs };
  const { tree: ours, taken } = await writeOurs(place, view, { ...states, head });
  const root = await commitTree(place, began, []);
  const sides = [await commitTree(place, ours, [root]), await commitTree(place, theirs, [root])];
  const { exitCode, stdout } = await scratch.run({
    args: ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ...sides],
    okExitCodes: [0, 1],
  });
  const [tree = Buffer.alloc(0), ...conflicts] = splitNul(stdout);
  if (exitCode === 1) return refuseConflict(conflicts.map((path) => renderBytePath(path.toString('latin1'))));
  return { tree: tree.toString(), changes: await listMerged(scratch, ours, tree.toString()), taken };
}

interface States {
  /** Names of trees: the commit the run began at, with what came along, with what the agent did. */
  readonly base: string;
  readonly began: string;
  readonly theirs: string;
  readonly head: TreeSource;
}

interface Ours {
  readonly tree: string;
  readonly taken: MergePlan['taken'];
}

/** The person's commit, with those of their uncommitted files that take part. */
async function writeOurs(
  { request, scratch, contents }: ApplyPlace,
  view: CheckoutView,
  states: States,
): Promise<Ours> {
  const { base, began, theirs, head } = states;
  const brought = new Map((await listSides(scratch, base, began)).map((change) => [change.path, change]));
  const agents = await listSides(scratch, began, theirs);
  const files = await readWorkingFiles(
    view,
    agents.map(({ path }) => path),
  );
  const taken = new Map<BytePath, SeenEntry>();
  const changes: SelectedChange[] = [];
  const take = (path: BytePath, to: TreeSide | null): void => {
    changes.push({ path, kind: 'tracked', from: null, to });
  };
  for (const { path, from, to } of agents) {
    const file = files.get(path);
    const isKept = brought.delete(path) && file !== undefined && isSameSide(file.side, from);
    if (file === undefined || !(isKept || isSameSide(file.side, to))) continue;
    take(path, file.side);
    taken.set(path, file.seen);
  }
  // The agent left these as they came along: whatever became of them since is the person's own affair.
  for (const { path, to } of brought.values()) take(path, to);
  const { project } = request;
  const tree = await writeSelectedTree({ project, scratch, from: head, changes, to: contents, convert: false });
  return { tree, taken };
}

/** The refusal that names where both sides changed the same, or what would be overwritten. */
export function refuseConflict(paths: readonly string[]): Refusal {
  const shown = [...new Set(paths)];
  const more = shown.length > SHOWN_PATHS ? ` and ${shown.length - SHOWN_PATHS} more` : '';
  return refuse(
    'apply_conflict',
    `The agent's changes do not fit onto your checkout at ${shown.slice(0, SHOWN_PATHS).join(', ')}${more}; ` +
      'nothing was changed: commit or put away your own changes there, or apply without the checkout and merge the ref.',
    { paths: shown },
  );
}

async function commitTree(place: ApplyPlace, tree: string, parents: readonly string[]): Promise<string> {
  const { scratch, identity } = place;
  const { stdout: named } = await scratch.run({ args: ['rev-parse', '--verify', tree] });
  const { stdout } = await scratch.run({
    args: ['commit-tree', named.toString().trim(), ...parents.flatMap((parent) => ['-p', parent]), '-m', 'side'],
    env: identity,
  });
  return stdout.toString().trim();
}

async function listMerged(scratch: Scratch, from: string, to: string): Promise<MergedChange[]> {
  const changes = await listSides(scratch, from, to);
  return changes.map(({ path, from: old, to: next }) => ({
    path,
    oldMode: old?.mode ?? null,
    newMode: next?.mode ?? null,
  }));
}

interface SideChange {
  readonly path: BytePath;
  readonly from: TreeSide | null;
  readonly to: TreeSide | null;
}

/** What differs between two trees of the scratch repository; links to other repositories are left out. */
async function listSides(scratch: Scratch, from: string, to: string): Promise<SideChange[]> {
  const { stdout } = await scratch.run({
    args: ['diff-tree', '-r', '--raw', '-z', '--no-renames', '--no-abbrev', '--no-ext-diff', from, to],
  });
  const parts = splitNul(stdout).map((part) => part.toString('latin1'));
  const changes: SideChange[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, oldMode = '', newMode = '', oldId = '', newId = ''] =
      /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) [A-Z]$/.exec(parts[at] ?? '') ?? [];
    const path = parts[at + 1];
    invariant(path !== undefined && newMode !== '', `git diff-tree answers ${JSON.stringify(parts[at])}`);
    if (oldMode === GITLINK || newMode === GITLINK) continue;
    changes.push({ path, from: sideOf(oldMode, oldId), to: sideOf(newMode, newId) });
  }
  return changes;
}

function sideOf(mode: string, oid: string): TreeSide | null {
  return mode === '000000' ? null : { mode, oid };
}
