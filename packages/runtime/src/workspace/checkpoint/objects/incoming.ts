/**
 * Lets git take a pack into a repository of ours by way of a folder beside its packs.
 *
 * 1. A git that fails leaves what it had written of a pack. It lies in that folder, and goes with it: packs that are
 *    refused, or met a full disk, take no room.
 * 2. A pack is there when its index is, which comes last. What a kill left, `gc` clears.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listNames, makeDurableFolder, moveEntry, syncFolder } from '../../../store/durable.ts';
import { renderAlternate } from '../../git/index.ts';

/** Runs `take` with an environment in which git writes its packs to that folder; then they are there, durably. */
export async function takeIncoming(
  gitDir: string,
  take: (env: Readonly<Record<string, string>>) => Promise<unknown>,
): Promise<void> {
  const objects = join(gitDir, 'objects');
  const incoming = join(objects, `incoming-${randomUUID()}`);
  try {
    for (const name of ['info', 'pack']) mkdirSync(join(incoming, name), { recursive: true, mode: 0o700 });
    writeFileSync(join(incoming, 'info', 'alternates'), renderAlternate(objects), { mode: 0o600 });
    await take({ GIT_OBJECT_DIRECTORY: incoming });
    await movePacks(join(incoming, 'pack'), join(objects, 'pack'));
  } finally {
    rmSync(incoming, { recursive: true, force: true });
  }
}

/**
 * Moves packs with their indexes from one folder of packs to another of the same file system, durably; those there stay
 * as they are. A pack has its name for good before its index has.
 */
export async function movePacks(from: string, to: string): Promise<void> {
  // A store that has lost its packs still takes new ones.
  makeDurableFolder(to);
  const names = listNames(from).filter((name) => /^pack-[0-9a-f]+\.[a-z]+$/.test(name));
  const isIndex = (name: string) => name.endsWith('.idx');
  for (const some of [names.filter((name) => !isIndex(name)), names.filter(isIndex)]) {
    // The name is the checksum of the content: one that is there is the same.
    for (const name of some) if (!existsSync(join(to, name))) moveEntry(join(from, name), join(to, name));
    // git syncs the bytes of its packs only, not their names.
    await syncFolder(to);
  }
}
