import { realpathSync } from 'node:fs';
import { sep } from 'node:path';

/** Whether a path is one of the folders or lies in one, by its name or where its links lead. */
export function isBelow(path: string, folders: readonly string[]): boolean {
  const places = [path, resolveLinks(path)];
  return folders.some((folder) => {
    const real = resolveLinks(folder);
    return places.some((place) => place === real || place.startsWith(`${real}${sep}`));
  });
}

/** The real place of a path; of one that is not there, the path itself. */
function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
