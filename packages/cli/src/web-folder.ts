import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The built browser interface of this package, or null where it was not built. */
export function findWebFolder(): string | null {
  // One folder above the source and above the build.
  const folder = fileURLToPath(new URL('../dist/web', import.meta.url));
  return existsSync(folder) ? folder : null;
}
