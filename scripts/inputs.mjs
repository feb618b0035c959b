// Says which files the built command depends on. Plain JavaScript: setup.mjs runs it on any Node.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the build records the digest of its inputs, relative to the repository. */
export const BUILD_STAMP = 'packages/cli/dist/.inputs';

/**
 * The SHA-256, in hex, of every file the bundle is made from: names and bytes.
 *
 * @param {string} root the repository
 * @returns {string}
 */
export function digestOfBuildInputs(root) {
  const hash = createHash('sha256');
  for (const path of listBuildInputs(root)) {
    const bytes = readFileSync(join(root, path));
    hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}

/** @param {string} root */
function listBuildInputs(root) {
  const packages = readdirSync(join(root, 'packages')).sort();
  const sources = packages.flatMap((name) => [
    `packages/${name}/package.json`,
    ...listFiles(root, `packages/${name}/src`),
  ]);
  const web = ['packages/web/index.html', 'packages/web/vite.config.ts'].filter((path) => existsSync(join(root, path)));
  const scripts = ['scripts/build.ts', 'scripts/inputs.mjs', ...listFiles(root, 'scripts/build')];
  return ['package-lock.json', ...scripts, ...web, ...listFiles(root, 'packages/web/public'), ...sources];
}

/**
 * @param {string} root
 * @param {string} folder
 * @returns {string[]}
 */
function listFiles(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  const sorted = entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return sorted.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return listFiles(root, path);
    return entry.isFile() ? [path] : [];
  });
}
