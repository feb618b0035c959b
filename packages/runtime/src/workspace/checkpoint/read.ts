/** Reads checkpoints: what they hold, from `store.git` alone. */
import { Failure } from '@ramet/core/codes';
import { git, splitNul } from '../git/index.ts';
import type { Project } from '../types.ts';
import { readRefs } from './agent-git/references.ts';
import { type BytePath, isSafePath, workspacePathOf } from './folder/names.ts';
import { type Manifest, parseManifest } from './manifest.ts';
import { probeObjects, readObjects } from './objects/read.ts';

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
  await requireCheckpoint(project, id);
  const header = await git({ gitDir: project.storeGit, args: ['cat-file', 'commit', id] });
  const listing = await git({ gitDir: project.storeGit, args: ['ls-tree', '-r', '-t', '-z', '--full-tree', id] });
  const found = sortListing(parseListing(listing.stdout), id);
  if (found.manifest === null || found.filesTree === null) throw notOurs(id);
  const manifest = (await readObjects(project.storeGit, [found.manifest])).get(found.manifest);
  const parents = [...header.stdout.toString('latin1').matchAll(/^parent ([0-9a-f]+)$/gm)].map(
    (match) => match[1] ?? '',
  );
  const { filesTree, entries, keep, tags } = found;
  const parsed = parseManifest(manifest ?? Buffer.alloc(0), id);
  if (!parsed.folders.every(isSafePath)) throw notOurs(id);
  return { id, parents, filesTree, entries, keep, tags, manifest: parsed };
}

async function requireCheckpoint(project: Project, id: string): Promise<void> {
  const valid = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id);
  if (valid && (await probeObjects(project.storeGit, [id])).get(id) === 'commit') return;
  throw new Failure(
    'checkpoint_missing',
    `Checkpoint ${JSON.stringify(id)} is not in ${JSON.stringify(project.storeGit)}.`,
    {
      data: { checkpoint: id },
    },
  );
}

interface ListedObject {
  readonly mode: string;
  readonly type: string;
  readonly oid: string;
  readonly path: BytePath;
}

function parseListing(output: Buffer): ListedObject[] {
  return splitNul(output).map((line) => {
    const text = line.toString('latin1');
    const tab = text.indexOf('\t');
    const [mode = '', type = '', oid = ''] = text.slice(0, tab).split(' ');
    return { mode, type, oid, path: text.slice(tab + 1) };
  });
}

function sortListing(listing: readonly ListedObject[], id: string) {
  const entries: CheckpointEntry[] = [];
  const keep: string[] = [];
  const tags: { tag: string; blob: string }[] = [];
  let filesTree: string | null = null;
  let manifest: string | null = null;
  for (const { mode, type, oid, path } of listing) {
    if (path === 'files') filesTree = oid;
    else if (path === 'manifest') manifest = oid;
    else if (/^keep\/[0-9a-f]+$/.test(path)) keep.push(oid);
    else if (path.startsWith('tags/')) tags.push({ tag: path.slice(5), blob: oid });
    const inWorkspace = type === 'blob' ? workspacePathOf(path) : null;
    if (inWorkspace !== null) entries.push({ path: inWorkspace, mode, oid });
    if (inWorkspace !== null && !isSafePath(inWorkspace)) throw notOurs(id);
  }
  return { entries, keep, tags, filesTree, manifest };
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
