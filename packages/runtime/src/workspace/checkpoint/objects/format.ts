/** Git objects made by us, as bytes: ids, trees, commits. Runs no git. */
import { createHash, hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag';
export type TreeMode = '100644' | '100755' | '120000' | '40000';

/** How a repository names its objects. */
export interface ObjectFormat {
  readonly name: 'sha1' | 'sha256';
  /** Bytes of a raw id. */
  readonly rawLength: number;
}

const SHA1: ObjectFormat = { name: 'sha1', rawLength: 20 };
const SHA256: ObjectFormat = { name: 'sha256', rawLength: 32 };

/** The object format of a repository of ours, from its config. */
export async function readObjectFormat(gitDir: string): Promise<ObjectFormat> {
  const config = await readFile(join(gitDir, 'config'), 'utf8').catch(() => '');
  return /^\s*objectformat\s*=\s*"?sha256"?\s*$/im.test(config) ? SHA256 : SHA1;
}

/** The id of an object held in memory. */
export function hashObject(format: ObjectFormat, type: ObjectType, content: Uint8Array): string {
  return hash(format.name, Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]), 'hex');
}

/** The id of an object that arrives in pieces; its size is known beforehand. */
export function startObjectHash(format: ObjectFormat, type: ObjectType, size: number): ReturnType<typeof createHash> {
  return createHash(format.name).update(`${type} ${size}\0`);
}

/** One entry of a tree. */
export interface TreeItem {
  readonly name: string;
  readonly mode: TreeMode;
  readonly oid: string;
}

/** The bytes of one tree object; git sorts a folder as if its name ended in `/`. */
export function renderTree(items: readonly TreeItem[]): Buffer {
  const sorted = items.every((item, position) => position === 0 || isBefore(items[position - 1] ?? item, item))
    ? items
    : [...items].sort((a, b) => (isBefore(a, b) ? -1 : isBefore(b, a) ? 1 : 0));
  let length = 0;
  for (const { mode, name, oid } of sorted) length += mode.length + name.length + 2 + oid.length / 2;
  const tree = Buffer.allocUnsafe(length);
  let at = 0;
  for (const { mode, name, oid } of sorted) {
    at += tree.write(`${mode} ${name}\0`, at, 'latin1');
    at += tree.write(oid, at, 'hex');
  }
  return tree;
}

function isBefore(a: TreeItem, b: TreeItem): boolean {
  return sortKey(a) < sortKey(b);
}

function sortKey({ mode, name }: TreeItem): string {
  return mode === '40000' ? `${name}/` : name;
}

/** The bytes of a checkpoint's commit: no clock and no identity in it, so equal states give equal ids. */
export function renderCommit(tree: string, parents: readonly string[]): Buffer {
  const who = 'Ramet <ramet@localhost> 0 +0000';
  const lines = [`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`), `author ${who}`, `committer ${who}`];
  return Buffer.from(`${lines.join('\n')}\n\nCheckpoint of a workspace\n`);
}
