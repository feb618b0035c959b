/** Makes and describes repositories of ours: plain files, no `git init`, so no template and no program is involved. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatEntries, renderConfig } from './config-file.ts';

/** Outranks every `.gitattributes`: bytes go in and come out as they are, and no filter is ever looked up. */
const RAW_BYTES_ATTRIBUTES = '* -text -eol -ident -filter -working-tree-encoding\n';

/** Makes an empty bare repository of ours: nothing in it ever prunes by itself or changes bytes. */
export async function makeBareRepository(path: string, objectFormat: string): Promise<void> {
  await makeGitFolders(path);
  const config = renderConfig([
    ...formatEntries(objectFormat),
    { section: 'core', name: 'bare', value: 'true' },
    { section: 'core', name: 'fileMode', value: 'true' },
    { section: 'core', name: 'symlinks', value: 'true' },
    { section: 'core', name: 'logAllRefUpdates', value: 'false' },
    { section: 'gc', name: 'auto', value: '0' },
    { section: 'gc', name: 'pruneExpire', value: 'never' },
    { section: 'maintenance', name: 'auto', value: 'false' },
  ]);
  await writeOwnFile(join(path, 'config'), config);
  await writeOwnFile(join(path, 'info', 'attributes'), RAW_BYTES_ATTRIBUTES);
  // Names a branch nobody makes: the repository has refs, but never a current one.
  await writeOwnFile(join(path, 'HEAD'), 'ref: refs/heads/none\n');
}

/** Makes the folders of a git directory, which must not exist yet. */
export async function makeGitFolders(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 });
  for (const folder of ['info', 'objects', 'refs']) await mkdir(join(path, folder), { mode: 0o700 });
  const below = ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags'];
  for (const folder of below) await mkdir(join(path, folder), { mode: 0o700 });
}

/** Writes a new file only we can read, and waits until it is on the disk. */
async function writeOwnFile(path: string, content: string | Uint8Array): Promise<void> {
  await writeFile(path, content, { mode: 0o600, flag: 'wx', flush: true });
}

/** A line of `objects/info/alternates` that names an object folder. */
export function renderAlternate(objects: string): string {
  // git reads a line that starts with a quote as a C string, and one that starts with # as a comment.
  if (!/["\n\\]/.test(objects)) return `${objects}\n`;
  const escaped = objects.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n');
  return `"${escaped}"\n`;
}
