// The licences of what is bundled.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The text of dist/THIRD-PARTY.txt: name, version and licence of each package that a bundled file belongs to. */
export function renderLicences(root: string, files: Iterable<string>): string {
  const folders = new Set([...files].flatMap((file) => findPackageFolder(file) ?? []));
  const sections = [...folders].sort().map((folder) => renderLicence(root, folder));
  return `The built command contains these packages:\n\n${sections.join('\n')}`;
}

/** `node_modules/<name>` or `node_modules/@scope/<name>`, the innermost one, of a bundled file. */
function findPackageFolder(file: string): string | undefined {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];
}

function renderLicence(root: string, folder: string): string {
  const manifest: { name: string; version: string; license?: string } = JSON.parse(
    readFileSync(join(root, folder, 'package.json'), 'utf8'),
  );
  const file = readdirSync(join(root, folder)).find((name) => /^licen[cs]e/i.test(name));
  const text = file === undefined ? '' : readFileSync(join(root, folder, file), 'utf8').trim();
  const rule = '-'.repeat(80);
  return `${rule}\n${manifest.name} ${manifest.version} (${manifest.license ?? 'licence not named'})\n\n${text}\n`;
}
