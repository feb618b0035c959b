/**
 * The pack files of a repository of ours. Only who keeps all writers out may remove any.
 *
 * 1. A pack is there while its `.idx` is: the index appears last and goes first.
 */
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolder, syncPath } from '../../store/durable.ts';
import { movePacks } from '../checkpoint/objects/incoming.ts';

const PACK = /^pack-[0-9a-f]+$/;
const SUFFIXES = ['.pack', '.rev', '.idx'] as const;

/** Names of complete packs (`pack-<hash>`). */
export function listPacks(gitDir: string): string[] {
  const names = new Set(readdirSync(packFolder(gitDir)));
  return [...names]
    .filter((name) => name.endsWith('.idx') && names.has(`${name.slice(0, -4)}.pack`))
    .map((name) => name.slice(0, -4))
    .filter((name) => PACK.test(name));
}

/** Bytes of all objects, packed and loose. */
export function measureObjects(gitDir: string): number {
  const objects = join(gitDir, 'objects');
  let bytes = 0;
  for (const folder of readdirSync(objects).filter((name) => name !== 'info')) {
    const path = join(objects, folder);
    if (!lstatSync(path).isDirectory()) continue;
    for (const name of readdirSync(path)) bytes += lstatSync(join(path, name)).size;
  }
  return bytes;
}

/** Removes what killed writers left: temporary files, and packs without an index. */
export function sweepPacks(gitDir: string): void {
  const complete = new Set(listPacks(gitDir));
  for (const name of readdirSync(packFolder(gitDir))) {
    if (!complete.has(name.replace(/\.[a-z]+$/, ''))) rmSync(join(packFolder(gitDir), name), { recursive: true });
  }
  const objects = join(gitDir, 'objects');
  for (const name of readdirSync(objects)) {
    if (/^(?:tmp_|incoming-)/.test(name)) rmSync(join(objects, name), { recursive: true });
  }
}

/** Removes packs, and makes that durable. */
export async function removePacks(gitDir: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    for (const suffix of SUFFIXES.toReversed()) rmSync(join(packFolder(gitDir), `${name}${suffix}`), { force: true });
  }
  await syncFolder(packFolder(gitDir));
}

/** Removes all loose objects. */
export function removeLoose(gitDir: string): void {
  const objects = join(gitDir, 'objects');
  for (const name of readdirSync(objects)) {
    if (/^[0-9a-f]{2}$/.test(name)) rmSync(join(objects, name), { recursive: true });
  }
}

/** Moves the packs of one repository to another of the same file system, durably; returns their names. */
export async function takePacks(from: string, to: string): Promise<string[]> {
  const names = listPacks(from);
  for (const name of readdirSync(packFolder(from))) await syncPath(join(packFolder(from), name));
  await movePacks(packFolder(from), packFolder(to));
  return names;
}

function packFolder(gitDir: string): string {
  return join(gitDir, 'objects', 'pack');
}
