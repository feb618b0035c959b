/**
 * Which objects our repositories have, and which of those `base.git` has, from the indexes of their packs: a process
 * that is asked takes longer than all the rest of a capture. What the packs leave open is asked of git.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Project } from '../../types.ts';
import type { ObjectType } from '../objects/format.ts';
import { probeObjects } from '../objects/read.ts';
import { PackReader } from '../restored/packs/reader.ts';

export interface PresentObjects {
  readonly types: Map<string, ObjectType>;
  readonly inBase: Set<string>;
}

export interface LookedUpObjects extends PresentObjects {
  /** Those no pack has and `base.git` has not: most are new. */
  readonly unpacked: readonly string[];
  /** Those `base.git` may have all the same. */
  readonly open: readonly string[];
}

/** What an agent's git directory names: objects of any type, and ids its index gives to contents. */
export interface NamedObjects {
  readonly objects: ReadonlySet<string>;
  readonly contents: ReadonlySet<string>;
}

/** Looks all of them up in the packs. */
export function lookUpObjects({ baseGit, storeGit }: Project, { objects, contents }: NamedObjects): LookedUpObjects {
  const types = new Map<string, ObjectType>();
  const inBase = new Set<string>();
  const unpacked: string[] = [];
  const open: string[] = [];
  const base = new PackReader([join(baseGit, 'objects', 'pack')], 0);
  const store = new PackReader([join(storeGit, 'objects', 'pack')], 0);
  const mayHave = makeMayHave(baseGit, base);
  for (const oid of new Set([...objects, ...contents])) {
    // Of contents that `base.git` has nobody asks for more than that.
    const borrowed = objects.has(oid) ? base.readType(oid) : base.has(oid) ? 'blob' : null;
    if (borrowed !== null) inBase.add(oid);
    const type = borrowed ?? (mayHave(oid) ? null : store.readType(oid));
    if (type !== null) types.set(oid, type);
    else if (mayHave(oid)) open.push(oid);
    else unpacked.push(oid);
  }
  base.close();
  store.close();
  return { types, inBase, unpacked, open };
}

/** Whether a repository may have an object that was not found in its packs. */
function makeMayHave(gitDir: string, packs: PackReader): (oid: string) => boolean {
  const objects = join(gitDir, 'objects');
  if (!packs.complete || existsSync(join(objects, 'info', 'alternates'))) return () => true;
  return (oid) => existsSync(join(objects, oid.slice(0, 2), oid.slice(2)));
}

/** Asks git about these; what it knows is added. */
export async function askForObjects(
  { baseGit, storeGit }: Project,
  { types, inBase }: PresentObjects,
  oids: readonly string[],
): Promise<void> {
  // The store borrows from `base.git`, and answers for both.
  const [base, store] = await Promise.all([probeObjects(baseGit, oids), probeObjects(storeGit, oids)]);
  for (const oid of base.keys()) inBase.add(oid);
  for (const [oid, type] of store) types.set(oid, type);
}
