/** The commit that brings back an agent's work: its HEAD, and one commit on top where files are loose. */
import { Failure, type Refusal, refuse } from '@ramet/core/codes';
import { type CheckpointContents, renderBytePath, type TreeSource } from '../checkpoint/index.ts';
import { readObjectFormat } from '../checkpoint/objects/format.ts';
import type { Scratch, ScratchOptions } from '../diff/scratch.ts';
import { type SelectedChange, selectChanges } from '../diff/select.ts';
import { mayConvert, writeSelectedTree } from '../diff/selected-tree.ts';
import { emptyTree } from '../diff/tree-names.ts';
import { configValue, joinNul, type PersonConfig, splitNul } from '../git/index.ts';
import type { AppliedLeftOut, ApplyRequest } from './types.ts';

export interface ApplyPlace {
  readonly request: ApplyRequest;
  readonly contents: CheckpointContents;
  /** Of `request.opening`. */
  readonly opening: CheckpointContents | null;
  readonly scratch: Scratch;
  readonly conversion: ScratchOptions;
  readonly identity: Readonly<Record<string, string>>;
}

export interface AppliedCommit {
  readonly commit: string;
  readonly head: string | null;
  readonly loose: boolean;
  readonly leftOut: AppliedLeftOut;
  readonly unfiltered: readonly string[];
}

/** Makes the commit in the scratch repository. */
export async function makeAppliedCommit(place: ApplyPlace): Promise<AppliedCommit | Refusal> {
  const { request, contents, scratch } = place;
  // Without a usable git directory nobody knows the agent's HEAD: the files still have a place on top of the base.
  const head = contents.manifest.git.state === 'complete' ? contents.manifest.commit : request.base;
  const from = await sourceOf(place, head);
  const { tree, all } = await writeTree(place, contents, from);
  const loose = !(await isSameTree(scratch, { head, tree, from }));
  const leftOut = describeLeftOut(contents, all);
  if (!loose && head !== null) return { commit: head, head, loose, leftOut, unfiltered: [] };
  if (!loose) {
    return refuse(
      'nothing_to_do',
      `Run ${request.runId} has made no commit and no file: there is nothing to bring back.`,
    );
  }
  const { stdout } = await scratch.run({
    args: ['commit-tree', tree, ...(head === null ? [] : ['-p', head]), '-F', '-'],
    stdin: `Work of Ramet session ${request.runId}\n\nFiles the agent had changed and not committed.\n`,
    env: place.identity,
  });
  return { commit: stdout.toString().trim(), head, loose, leftOut, unfiltered: await listUnfiltered(scratch, all) };
}

/** Writes a checkpoint's changes of a state, without ignored files, as a tree of the scratch repository. */
export async function writeTree(
  { request, scratch, conversion }: ApplyPlace,
  contents: CheckpointContents,
  from: TreeSource,
): Promise<{ readonly tree: string; readonly all: readonly SelectedChange[] }> {
  const { project } = request;
  const all = await selectChanges({ project, scratch, from, fromContents: null, to: contents });
  const changes = all.filter(({ kind }) => kind === 'tracked' || kind === 'untracked');
  const convert = mayConvert(contents, conversion.config ?? []);
  try {
    return { tree: await writeSelectedTree({ project, scratch, from, changes, to: contents, convert }), all };
  } catch (cause) {
    if (!(cause instanceof Failure) || cause.code !== 'git_failed') throw cause;
    throw new Failure('git_failed', `The agent's work cannot be made a commit: ${cause.message}`, { cause });
  }
}

/** A commit's tree, or the empty one. */
export async function sourceOf({ request }: ApplyPlace, commit: string | null): Promise<TreeSource> {
  if (commit !== null) return { kind: 'commit', id: commit };
  return emptyTree(await readObjectFormat(request.project.storeGit));
}

async function isSameTree(
  scratch: Scratch,
  { head, tree, from }: { readonly head: string | null; readonly tree: string; readonly from: TreeSource },
): Promise<boolean> {
  if (head === null) return tree === from.id;
  const { stdout } = await scratch.run({ args: ['rev-parse', '--verify', `${head}^{tree}`] });
  return stdout.toString().trim() === tree;
}

/** Files of the loose commit that `git add` would have sent through a filter. */
async function listUnfiltered(scratch: Scratch, all: readonly SelectedChange[]): Promise<string[]> {
  const files = all.filter(
    ({ kind, to }) => (kind === 'tracked' || kind === 'untracked') && to?.mode.startsWith('100'),
  );
  const { stdout } = await scratch.run({
    args: ['check-attr', '-z', '--stdin', 'filter'],
    stdin: joinNul(files.map(({ path }) => Buffer.from(path, 'latin1'))),
  });
  const answers = splitNul(stdout);
  return files
    .filter((_, position) => !['unspecified', 'unset'].includes(String(answers[position * 3 + 2])))
    .map(({ path }) => renderBytePath(path));
}

function describeLeftOut(contents: CheckpointContents, all: readonly SelectedChange[]): AppliedLeftOut {
  const count = (kind: SelectedChange['kind']) => all.filter((change) => change.kind === kind).length;
  const links = all.filter(({ to }) => to?.mode === '160000').map(({ path }) => renderBytePath(path));
  return { ignored: count('ignored'), nested: count('nested'), links, files: contents.manifest.leftOut };
}

const FALLBACK = { name: 'Ramet', email: 'ramet@localhost' };

/** The person as author and committer, by their own configuration; "Ramet" where it names nobody. */
export function makeIdentity(config: PersonConfig, timeMs: number): Record<string, string> {
  const [name, email] = [configValue(config, 'user.name'), configValue(config, 'user.email')];
  const known = isUsable(name) && isUsable(email);
  const who = known ? { name, email } : FALLBACK;
  const date = `@${Math.floor(timeMs / 1000)} +0000`;
  return {
    GIT_AUTHOR_NAME: who.name,
    GIT_AUTHOR_EMAIL: who.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: who.name,
    GIT_COMMITTER_EMAIL: who.email,
    GIT_COMMITTER_DATE: date,
  };
}

/** git drops such characters at the ends, and refuses what is then empty. */
function isUsable(text: string | undefined): text is string {
  return text !== undefined && /[\p{L}\p{N}]/u.test(text) && !text.includes('\0');
}
