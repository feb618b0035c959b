/** Who else holds an agent's work: the person's repository and checkout, and the checkpoints of other runs. */
import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { isRefusal } from '@ramet/core/codes';
import { listBaseTips, renderRevisions, shallowEnvironment } from '../checkpoint/agent-git/keeping.ts';
import { locate } from '../checkpoint/folder/names.ts';
import type { BytePath } from '../checkpoint/index.ts';
import { hashObject, type ObjectFormat } from '../checkpoint/objects/format.ts';
import { probeObjects } from '../checkpoint/objects/read.ts';
import { git, splitLines } from '../git/index.ts';
import { findRepository, type Repository } from '../project/index.ts';
import type { Project } from '../types.ts';

export interface Holders {
  readonly project: Project;
  /** Null where it is gone. */
  readonly repository: Repository | null;
  /** Checkpoints of other runs the store has. */
  readonly others: readonly string[];
}

/** A content at a path of the workspace. */
export interface HeldFile {
  readonly path: BytePath;
  readonly oid: string;
}

/** Finds who else may hold something. */
export async function findHolders(project: Project, others: readonly string[]): Promise<Holders> {
  const repository = await findRepository(project.checkout).catch(() => null);
  const stored = await probeObjects(project.storeGit, new Set(others));
  return { project, repository: isRefusal(repository) ? null : repository, others: [...stored.keys()] };
}

const MOST_COMMITS = 1000;

/** Commits that the tips lead to and nobody else's refs or checkpoints do; at most a thousand. */
export async function findOwnCommits(holders: Holders, tips: readonly string[]): Promise<string[]> {
  const { project, repository, others } = holders;
  if (tips.length === 0) return [];
  const { stdout } = await git({
    gitDir: project.storeGit,
    args: ['rev-list', `--max-count=${MOST_COMMITS}`, '--stdin'],
    stdin: renderRevisions(tips, [...(await listBaseTips(project)), ...others]),
    env: shallowEnvironment(project),
  });
  const own = splitLines(stdout);
  if (repository === null || own.length === 0) return own;
  const there = new Set((await probeObjects(repository.gitDir, own)).keys());
  // An object no ref leads to goes with the person's next collection: it is no copy.
  for (const id of await findUnreachable(repository, there)) there.delete(id);
  return own.filter((id) => !there.has(id));
}

async function findUnreachable(repository: Repository, ids: ReadonlySet<string>): Promise<string[]> {
  if (ids.size === 0) return [];
  const { stdout: refs } = await git({ gitDir: repository.gitDir, args: ['for-each-ref', '--format=%(objectname)'] });
  const { stdout } = await git({
    gitDir: repository.gitDir,
    args: ['rev-list', '--ignore-missing', '--stdin'],
    stdin: renderRevisions([...ids], splitLines(refs)),
  });
  return splitLines(stdout);
}

/** Files whose content is in nobody else's hands; `checkpoint` holds them. */
export async function findOwnFiles<F extends HeldFile>(
  holders: Holders,
  checkpoint: string,
  { files, format }: { readonly files: readonly F[]; readonly format: ObjectFormat },
): Promise<F[]> {
  const { project, repository } = holders;
  const gitDirs = [project.baseGit, ...(repository === null ? [] : [repository.gitDir])];
  let own = [...files];
  for (const gitDir of gitDirs) {
    const held = await probeObjects(gitDir, new Set(own.map((file) => file.oid)));
    own = own.filter((file) => !held.has(file.oid));
  }
  own = own.filter((file) => repository === null || !isInCheckout(repository.checkout, file, format));
  if (own.length === 0 || holders.others.length === 0) return own;
  const alone = await listOwnObjects(holders, checkpoint);
  return own.filter((file) => alone.has(file.oid));
}

function isInCheckout(checkout: string, { path, oid }: HeldFile, format: ObjectFormat): boolean {
  try {
    const place = locate(checkout, path);
    const stats = lstatSync(place);
    if (stats.isSymbolicLink()) return hashObject(format, 'blob', readlinkSync(place, 'buffer')) === oid;
    return stats.isFile() && hashObject(format, 'blob', readFileSync(place)) === oid;
  } catch {
    return false;
  }
}

/** Objects of a checkpoint (its index's own content included) that are in no other run's. */
async function listOwnObjects({ project, others }: Holders, checkpoint: string): Promise<Set<string>> {
  const { stdout } = await git({
    gitDir: project.storeGit,
    args: ['rev-list', '--objects', '--no-object-names', '--stdin'],
    // As trees: of a commit that is excluded git marks no content.
    stdin: renderRevisions(
      [`${checkpoint}^{tree}`],
      others.map((other) => `${other}^{tree}`),
    ),
  });
  return new Set(splitLines(stdout));
}
