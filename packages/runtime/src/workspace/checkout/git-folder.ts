/**
 * Makes the `.git` of a private checkout: real, its own, borrowing objects from `base.git`.
 *
 * 1. Its config is generated: of the person's only identity, line-end conversion, remotes without credentials and
 *    branch tracking come along; never a program, an include or a header.
 * 2. No hooks, no stash, no reflogs.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type ConfigEntry,
  canHoldConfig,
  configValue,
  formatEntries,
  makeGitFolders,
  type PersonConfig,
  renderAlternate,
  renderConfig,
} from '../git/index.ts';
import type { PersonHead, PersonRef, Repository } from '../project/index.ts';
import { conversionEntries, copySparsePatterns, readAttributes, readExcludes, sparseEntries } from './shadow.ts';
import { stripCredentials } from './url.ts';

export interface GitFolderSource {
  readonly repository: Repository;
  readonly config: PersonConfig;
  readonly refs: readonly PersonRef[];
  readonly head: PersonHead;
  readonly baseGit: string;
  /** Commits `base.git` holds without their parents. */
  readonly shallow: Buffer;
}

/** Makes the git directory at `path`; its index and objects are still empty. */
export async function makeGitFolder(path: string, source: GitFolderSource): Promise<void> {
  const { repository, config, refs, head, baseGit, shallow } = source;
  await makeGitFolders(path);
  // Nothing is waited for among writes that have begun: the failure of one would be nobody's.
  const excludes = await readExcludes(repository);
  const attributes = await readAttributes(repository);
  await Promise.all([
    place(path, 'config', renderConfig(configEntries(repository.objectFormat, config))),
    place(path, 'HEAD', head.ref === null ? `${head.commit}\n` : `ref: ${head.ref}\n`),
    place(path, 'objects/info/alternates', renderAlternate(join(baseGit, 'objects'))),
    place(path, 'packed-refs', renderPackedRefs(refs, head)),
    place(path, 'info/exclude', excludes),
    placeNonEmpty(path, 'info/attributes', attributes),
    placeNonEmpty(path, 'shallow', shallow),
    copySparsePatterns(repository.gitDir, path),
    ...refs.filter(({ symbolic }) => symbolic !== null).map((ref) => placeSymbolic(path, ref)),
  ]);
}

/** The text of `packed-refs` for these refs. */
function renderPackedRefs(refs: readonly PersonRef[], head: PersonHead): string {
  const ids = new Map(refs.filter(({ symbolic }) => symbolic === null).map(({ name, id }) => [name, id]));
  // HEAD may name a ref outside the usual namespaces; without it the checkout would start unborn.
  if (head.ref !== null && head.commit !== null && !ids.has(head.ref)) ids.set(head.ref, head.commit);
  const names = [...ids.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return ['# pack-refs with: sorted ', ...names.map((name) => `${ids.get(name)} ${name}`), ''].join('\n');
}

function configEntries(objectFormat: string, config: PersonConfig): ConfigEntry[] {
  return [
    ...formatEntries(objectFormat),
    { section: 'core', name: 'bare', value: 'false' },
    { section: 'core', name: 'fileMode', value: 'true' },
    { section: 'core', name: 'symlinks', value: 'true' },
    { section: 'core', name: 'logAllRefUpdates', value: 'true' },
    ...conversionEntries(config),
    ...sparseEntries(config),
    ...identityEntries(config),
    ...namedEntries(config),
  ];
}

function identityEntries(config: PersonConfig): ConfigEntry[] {
  return ['name', 'email'].flatMap((name) => {
    const value = configValue(config, `user.${name}`);
    return value === undefined || value === '' ? [] : [{ section: 'user', name, value }];
  });
}

/** Variables by section that come along, and what becomes of their value. */
const NAMED: Readonly<Record<string, Readonly<Record<string, (value: string) => string>>>> = {
  remote: { url: stripCredentials, pushurl: stripCredentials, fetch: same },
  branch: { remote: stripCredentials, merge: same, rebase: same },
  submodule: { url: stripCredentials, active: same },
};

function namedEntries(config: PersonConfig): ConfigEntry[] {
  return [...config].flatMap(([key, values]) => {
    const first = key.indexOf('.');
    const last = key.lastIndexOf('.');
    if (first === last) return [];
    const [section, subsection, name] = [key.slice(0, first), key.slice(first + 1, last), key.slice(last + 1)];
    const convert = Object.hasOwn(NAMED, section) ? NAMED[section]?.[name] : undefined;
    if (convert === undefined) return [];
    const kept = values.map(convert).filter((value) => canHoldConfig(subsection, value));
    return kept.map((value) => ({ section, subsection, name, value }));
  });
}

function same(value: string): string {
  return value;
}

async function place(gitDir: string, name: string, content: string | Uint8Array): Promise<void> {
  await writeFile(join(gitDir, name), content, { mode: 0o600, flag: 'wx' });
}

async function placeNonEmpty(gitDir: string, name: string, content: Buffer): Promise<void> {
  if (content.length > 0) await place(gitDir, name, content);
}

async function placeSymbolic(gitDir: string, ref: PersonRef): Promise<void> {
  await mkdir(dirname(join(gitDir, ref.name)), { recursive: true, mode: 0o700 });
  await place(gitDir, ref.name, `ref: ${ref.symbolic}\n`);
}
