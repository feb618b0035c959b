/** Reads checkpoints: what they hold, from `store.git` alone. */
import { Failure } from '@ramet/core/codes';
import { git } from '../git/index.ts';
import type { Project } from '../types.ts';
import { readRefs } from './agent-git/references.ts';
import { type BytePath, isSafePath, workspacePathOf } from './folder/names.ts';
import { type Manifest, parseManifest } from './manifest.ts';
import { readObjects } from './objects/read.ts';

/** A checkpoint's contents without the bytes of files. */
export interface CheckpointContents {
  readonly id: string;
  readonly parents: readonly string[];
  /** The tree of the working tree's files; `.git` and nested repositories' `.git` are not in it. */
  readonly filesTree: string;
  readonly manifest: Manifest;
  /** Every blob of the workspace, `.git` included. */
  readonly entries: readonly CheckpointEntry[];
  /** Objects below `keep/` and raw tags below `tags/`: id of the tag, id of the blob with its bytes. */
  readonly keep: readonly string[];
  readonly tags: readonly { readonly tag: string; readonly blob: string }[];
}

export interface CheckpointEntry {
  /** In the workspace. */
  readonly path: BytePath;
  /** 100644, 100755 or 120000. */
  readonly mode: string;
  readonly oid: string;
}

/** The agent's git state in a checkpoint. */
export interface CheckpointRefs {
  /** HEAD's text. */
  readonly head: string;
  /** The commit it resolves to; null when unborn. */
  readonly commit: string | null;
  /** Full names to ids, `refs/stash` included; symbolic refs are left out. */
  readonly refs: ReadonlyMap<string, string>;
}

/** Reads a checkpoint; throws `Failure('checkpoint_missing')` when the store does not have it. */
export async function readCheckpoint(project: Project, id: string): Promise<CheckpointContents> {
  const listing = git({ gitDir: project.storeGit, args: ['ls-tree', '-r', '-t', '-z', '--full-tree', id] });
  // Awaited after the head, whose failure says more.
  listing.catch(() => undefined);
  const head = await readCheckpointHead(project, id);
  const found = sortListing(parseListing((await listing).stdout), id);
  if (found.filesTree === null) throw notOurs(id);
  const { filesTree, entries, keep, tags } = found;
  const { parents, manifest } = head;
  return { id, parents, manifest, filesTree, entries, keep, tags };
}

/** What a checkpoint's commit and manifest say, read by one git process. */
export type CheckpointHead = Pick<CheckpointContents, 'id' | 'parents' | 'manifest'> & {
  /** The trees directly below the commit's, by name. */
  readonly trees: ReadonlyMap<string, string>;
};

/** Reads a checkpoint's head; throws `Failure('checkpoint_missing')` when the store does not have it. */
export async function readCheckpointHead(project: Project, id: string): Promise<CheckpointHead> {
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id)) throw makeMissingFailure(project, id);
  const names = [id, `${id}:`, `${id}:manifest`];
  const outcome = await git({
    gitDir: project.storeGit,
    args: ['cat-file', '--batch'],
    stdin: `${names.join('\n')}\n`,
  });
  const [commit, tree, blob] = parseAnswers(outcome.stdout);
  if (commit?.type !== 'commit') throw makeMissingFailure(project, id);
  if (blob?.type !== 'blob' || tree?.type !== 'tree') throw notOurs(id);
  const header = commit.bytes.toString('latin1');
  const parents = [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].map((match) => match[1] ?? '');
  const manifest = parseManifest(blob.bytes, id);
  if (!manifest.folders.every(isSafePath)) throw notOurs(id);
  return { id, parents, manifest, trees: parseTree(tree.bytes, id.length / 2) };
}

/** Objects as `cat-file --batch` answers them; one that is missing is null. */
function parseAnswers(output: Buffer): ({ readonly type: string; readonly bytes: Buffer } | null)[] {
  const answers: ({ readonly type: string; readonly bytes: Buffer } | null)[] = [];
  for (let at = 0; at < output.length; ) {
    const newline = output.indexOf(0x0a, at);
    const [, type, size] = /^[0-9a-f]+ ([a-z]+) (\d+)$/.exec(output.toString('latin1', at, newline)) ?? [];
    const start = newline + 1;
    const end = start + Number(size ?? 0);
    answers.push(type === undefined ? null : { type, bytes: output.subarray(start, end) });
    at = type === undefined ? start : end + 1;
  }
  return answers;
}

/** The entries of a raw tree: `<mode> <name>`, NUL, the id's bytes. */
function parseTree(bytes: Buffer, rawLength: number): Map<string, string> {
  const entries = new Map<string, string>();
  for (let at = 0; at < bytes.length; ) {
    const nul = bytes.indexOf(0, at);
    const name = bytes.toString('latin1', bytes.indexOf(0x20, at) + 1, nul);
    at = nul + 1 + rawLength;
    entries.set(name, bytes.toString('hex', nul + 1, at));
  }
  return entries;
}

function makeMissingFailure(project: Project, id: string): Failure {
  const where = JSON.stringify(project.storeGit);
  return new Failure('checkpoint_missing', `Checkpoint ${JSON.stringify(id)} is not in ${where}.`, {
    data: { checkpoint: id },
  });
}

interface ListedObject {
  readonly mode: string;
  readonly type: string;
  readonly oid: string;
  readonly path: BytePath;
}

function parseListing(output: Buffer): ListedObject[] {
  const listing: ListedObject[] = [];
  for (const line of output.toString('latin1').split('\0')) {
    const tab = line.indexOf('\t');
    if (tab < 0) continue;
    const oidAt = line.lastIndexOf(' ', tab) + 1;
    listing.push({
      mode: line.slice(0, 6),
      type: line.slice(7, oidAt - 1),
      oid: line.slice(oidAt, tab),
      path: line.slice(tab + 1),
    });
  }
  return listing;
}

function sortListing(listing: readonly ListedObject[], id: string) {
  const entries: CheckpointEntry[] = [];
  const keep: string[] = [];
  const tags: { tag: string; blob: string }[] = [];
  let filesTree: string | null = null;
  for (const { mode, type, oid, path } of listing) {
    if (path === 'files') filesTree = oid;
    else if (/^keep\/[0-9a-f]+$/.test(path)) keep.push(oid);
    else if (path.startsWith('tags/')) tags.push({ tag: path.slice(5), blob: oid });
    const inWorkspace = type === 'blob' ? workspacePathOf(path) : null;
    if (inWorkspace !== null) entries.push({ path: inWorkspace, mode, oid });
    if (inWorkspace !== null && !isSafePath(inWorkspace)) throw notOurs(id);
  }
  return { entries, keep, tags, filesTree };
}

function notOurs(id: string): Failure {
  return new Failure(
    'checkpoint_missing',
    `Commit ${id} is no checkpoint: it has no manifest, or names no workspace can have.`,
    {
      data: { checkpoint: id },
    },
  );
}

/** Reads the agent's HEAD and refs as they were at a checkpoint. */
export async function readCheckpointRefs(project: Project, contents: CheckpointContents): Promise<CheckpointRefs> {
  const named = contents.entries.filter(
    (entry) => entry.path === '.git/packed-refs' || entry.path.startsWith('.git/refs/'),
  );
  const texts = await readObjects(project.storeGit, [...new Set(named.map((entry) => entry.oid))]);
  const byPath = new Map(named.map((entry) => [entry.path, texts.get(entry.oid)?.toString('latin1') ?? null]));
  const refs = readRefs(byPath.keys(), (path) => byPath.get(path) ?? null);
  return { head: contents.manifest.head, commit: contents.manifest.commit, refs };
}

/** The bytes of one file of a checkpoint's working tree; null when it holds none of that path. */
export async function readCheckpointFile(
  project: Project,
  contents: CheckpointContents,
  path: BytePath,
): Promise<{ readonly mode: string; readonly bytes: Buffer } | null> {
  const entry = contents.entries.find((candidate) => candidate.path === path);
  if (entry === undefined) return null;
  const bytes = (await readObjects(project.storeGit, [entry.oid])).get(entry.oid);
  return bytes === undefined ? null : { mode: entry.mode, bytes };
}
