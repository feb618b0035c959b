/**
 * A three-way merge of an agent's changes with the person's HEAD, computed in a scratch repository: the run's base
 * commit, the checkpoint's files without ignored ones, the person's commit. Nothing of the person's is written.
 */
import { type Refusal, refuse } from '@ramet/core/codes';
import { type BytePath, renderBytePath } from '../checkpoint/index.ts';
import { parseListing } from '../diff/listing.ts';
import type { Scratch } from '../diff/scratch.ts';
import { nameTree } from '../diff/tree-names.ts';
import { splitNul } from '../git/index.ts';
import { type Repository, readPersonHead } from '../project/index.ts';
import { type ApplyPlace, sourceOf, writeTree } from './commit.ts';

export interface MergePlan {
  /** The merged tree, in the scratch repository. */
  readonly tree: string;
  readonly changes: readonly MergedChange[];
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
export async function planMerge(place: ApplyPlace, repository: Repository): Promise<MergePlan | Refusal> {
  const { request, scratch } = place;
  const { commit: head } = await readPersonHead(repository.gitDir);
  const [base, ours] = await Promise.all([sourceOf(place, request.base), sourceOf(place, head)]);
  const { tree: theirs } = await writeTree(place, base);
  const root = await commitTree(place, nameTree(base), []);
  const sides = [await commitTree(place, nameTree(ours), [root]), await commitTree(place, theirs, [root])];
  const { exitCode, stdout } = await scratch.run({
    args: ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ...sides],
    okExitCodes: [0, 1],
  });
  const [tree = Buffer.alloc(0), ...conflicts] = splitNul(stdout);
  if (exitCode === 1) return refuseConflict(conflicts.map((path) => renderBytePath(path.toString('latin1'))));
  return { tree: tree.toString(), changes: await listMerged(scratch, nameTree(ours), tree.toString()) };
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
  const { stdout } = await scratch.run({
    args: ['diff-tree', '-r', '--raw', '--numstat', '-z', '--no-renames', '--no-ext-diff', '--no-textconv', from, to],
  });
  return parseListing(stdout)
    .map(({ path, oldMode, newMode }) => ({ path, oldMode, newMode }))
    .filter(({ oldMode, newMode }) => oldMode !== GITLINK && newMode !== GITLINK);
}
