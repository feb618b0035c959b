import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Gives the owner write permission on every folder below a path, so that it can be removed; follows no link. */
export function makeRemovable(path: string): void {
  const pending = [path];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) continue;
    chmodSync(folder, 0o700);
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) pending.push(join(folder, entry.name));
    }
  }
}
