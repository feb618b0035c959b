/**
 * A state with some of an agent's changes, as a tree in a scratch repository.
 *
 * 1. A checkpoint holds the bytes of the working tree. On top of a commit they become what `git add` would have stored
 *    (line ends, `$Id$`, encodings), by git's built-in conversions; no filter program exists in the scratch repository.
 */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { Failure } from '@ramet/core/codes';
import { folderOf, locate } from '../checkpoint/folder/names.ts';
import type { BytePath, CheckpointContents, TreeSource } from '../checkpoint/index.ts';
import { type ObjectSink, streamObjects } from '../checkpoint/objects/read.ts';
import { type ConfigEntry, joinNul } from '../git/index.ts';
import type { Project } from '../types.ts';
import type { Scratch } from './scratch.ts';
import type { SelectedChange } from './select.ts';
import { nameTree } from './tree-names.ts';

export interface TreeRequest {
  readonly project: Project;
  readonly scratch: Scratch;
  readonly from: TreeSource;
  readonly changes: readonly SelectedChange[];
  /** The checkpoint the changes lead to. */
  readonly to: CheckpointContents;
  /** Whether bytes have to be converted: not between two checkpoints. */
  readonly convert: boolean;
}

const ZERO_ID = '0'.repeat(40);

/** Writes the tree into the scratch repository and returns its id. */
export async function writeSelectedTree(request: TreeRequest): Promise<string> {
  const { scratch, from, changes } = request;
  await scratch.run({ args: ['read-tree', nameTree(from)] });
  await removePaths(scratch, changes);
  const converted = request.convert ? changes.filter(isFile) : [];
  const plain = request.convert ? changes.filter((change) => !isFile(change)) : changes;
  await addEntries(scratch, plain);
  if (converted.length > 0) {
    await addConverted(request, converted).catch((error: unknown) => {
      // Bytes that are not in the encoding an attribute names: git would not take them; they stay as they are.
      if (!(error instanceof Failure) || error.code !== 'git_failed') throw error;
      return addEntries(scratch, converted);
    });
  }
  const { stdout } = await scratch.run({ args: ['write-tree', '--missing-ok'] });
  return stdout.toString().trim();
}

/** Whether bytes of a working tree may differ from what git stores of them. */
export function mayConvert(contents: CheckpointContents, config: readonly ConfigEntry[]): boolean {
  const attributes = contents.entries.some(({ path }) => path === '.gitattributes' || path.endsWith('/.gitattributes'));
  return attributes || contents.entries.some(({ path }) => path === '.git/info/attributes') || config.length > 0;
}

function isFile({ to }: SelectedChange): boolean {
  return to !== null && (to.mode === '100644' || to.mode === '100755');
}

async function removePaths(scratch: Scratch, changes: readonly SelectedChange[]): Promise<void> {
  const gone = changes.filter((change) => change.to === null);
  await updateIndex(
    scratch,
    gone.map(({ path }) => `0 ${ZERO_ID}\t${path}`),
  );
}

async function addEntries(scratch: Scratch, changes: readonly SelectedChange[]): Promise<void> {
  const lines = changes.flatMap(({ path, to }) => (to === null ? [] : [`${to.mode} ${to.oid}\t${path}`]));
  await updateIndex(scratch, lines);
}

async function updateIndex(scratch: Scratch, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  const stdin = joinNul(lines.map((line) => Buffer.from(line, 'latin1')));
  await scratch.run({ args: ['update-index', '--replace', '-z', '--index-info'], stdin });
}

/** Lets git read the files from the scratch working tree, beside the attributes that speak of them. */
async function addConverted(request: TreeRequest, changes: readonly SelectedChange[]): Promise<void> {
  const { scratch, to } = request;
  const attributes = to.entries.filter(
    ({ path, mode }) => (path === '.gitattributes' || path.endsWith('/.gitattributes')) && mode !== '120000',
  );
  const files = new Map<BytePath, { readonly oid: string; readonly mode: string }>();
  for (const { path, oid, mode } of attributes) files.set(path, { oid, mode });
  for (const { path, to: side } of changes) if (side !== null) files.set(path, side);
  await writeFiles(request, files);
  const stdin = joinNul(changes.map(({ path }) => Buffer.from(path, 'latin1')));
  await scratch.run({ args: ['update-index', '--add', '--replace', '-z', '--stdin'], stdin });
}

async function writeFiles(
  { project, scratch }: TreeRequest,
  files: ReadonlyMap<BytePath, { readonly oid: string; readonly mode: string }>,
): Promise<void> {
  // Another tree's files may lie there.
  rmSync(scratch.workTree, { recursive: true, force: true });
  mkdirSync(scratch.workTree, { mode: 0o700 });
  const order = [...files];
  let position = 0;
  let chunks: Buffer[] = [];
  const sink: ObjectSink = {
    begin: () => {
      chunks = [];
    },
    write: (chunk) => chunks.push(chunk),
    end: () => {
      const [path, { mode }] = order[position] ?? ['', { mode: '' }];
      position += 1;
      mkdirSync(locate(scratch.workTree, folderOf(path)), { recursive: true });
      writeFileSync(locate(scratch.workTree, path), Buffer.concat(chunks));
      if (mode === '100755') chmodSync(locate(scratch.workTree, path), 0o755);
    },
  };
  await streamObjects(
    project.storeGit,
    order.map(([, { oid }]) => oid),
    sink,
  );
}
