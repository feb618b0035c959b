/**
 * A scratch git directory of ours that stands beside the person's checkout, so that their files can be compared with
 * their index by git without their repository's config.
 *
 * 1. It defines no filter, hook, monitor or external diff, so none can run, whatever the person's config and
 *    attributes name; built-in conversions (line ends) are those of the person.
 * 2. It works on a copy of the index: nothing of the person's is written, and no lock of theirs is taken.
 */
import { copyFile, lstat, readdir, readFile, realpath, utimes, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  type ConfigEntry,
  configIsTrue,
  configValue,
  formatEntries,
  type GitPlace,
  makeGitFolders,
  type PersonConfig,
  readPersonConfig,
  renderAlternate,
  renderConfig,
} from '../git/index.ts';
import type { PersonHead, Repository } from '../project/index.ts';

export interface ShadowSource {
  readonly repository: Repository;
  readonly config: PersonConfig;
  readonly head: PersonHead;
  readonly baseGit: string;
}

/** Makes the scratch git directory at `path` and returns where to run git. */
export async function makeShadow(path: string, source: ShadowSource): Promise<GitPlace> {
  const { repository, config, head, baseGit } = source;
  await makeGitFolders(path);
  const entries: ConfigEntry[] = [
    ...formatEntries(repository.objectFormat),
    { section: 'core', name: 'bare', value: 'false' },
    ...conversionEntries(config),
    ...fileSystemEntries(config),
    ...sparseEntries(config),
  ];
  // Nothing is waited for among writes that have begun: the failure of one would be nobody's.
  const excludes = await readExcludes(repository);
  const attributes = await readAttributes(repository);
  await Promise.all([
    writeFile(join(path, 'config'), renderConfig(entries)),
    writeFile(join(path, 'HEAD'), `${head.commit ?? 'ref: refs/heads/unborn'}\n`),
    writeFile(join(path, 'objects', 'info', 'alternates'), renderAlternate(join(baseGit, 'objects'))),
    writeFile(join(path, 'info', 'exclude'), excludes),
    writeFile(join(path, 'info', 'attributes'), attributes),
    copySparsePatterns(repository.gitDir, path),
    copyIndex(repository.gitDir, path),
  ]);
  return { gitDir: path, workTree: repository.checkout };
}

/** How bytes change between the object store and the working tree; part of a checkout's own config too. */
export function conversionEntries(config: PersonConfig): ConfigEntry[] {
  return pick(config, [
    ['core', 'autocrlf'],
    ['core', 'eol'],
  ]);
}

/** Which part of the tree the person has checked out; part of a checkout's own config too. */
export function sparseEntries(config: PersonConfig): ConfigEntry[] {
  if (!configIsTrue(config, 'core.sparsecheckout')) return [];
  return pick(config, [
    ['core', 'sparseCheckout'],
    ['core', 'sparseCheckoutCone'],
  ]);
}

/** Copies the sparse patterns from one git directory to another. */
export async function copySparsePatterns(from: string, to: string): Promise<void> {
  const patterns = await readRules(join(from, 'info', 'sparse-checkout'));
  if (patterns.length > 0) await writeFile(join(to, 'info', 'sparse-checkout'), patterns, { mode: 0o600 });
}

/**
 * The person's global and private ignore rules as one file: later rules win, as they do for git. It ends up where an
 * agent can read it, so a file is taken only where the person set it, never where a repository's own config points.
 */
export async function readExcludes(repository: Repository): Promise<Buffer> {
  const own = await readPersonConfig(repository.gitDir, 'person');
  const fallback = join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'git', 'ignore');
  const global = expandHome(configValue(own, 'core.excludesfile') ?? fallback);
  const rules = [
    await readRules(await realpath(global).catch(() => '')),
    await readRules(join(repository.commonDir, 'info', 'exclude')),
  ];
  return Buffer.concat(rules.flatMap((rule) => [rule, Buffer.from('\n')]));
}

/** The person's private attributes; a filter they name is defined nowhere in what we make. */
export function readAttributes(repository: Repository): Promise<Buffer> {
  return readRules(join(repository.commonDir, 'info', 'attributes'));
}

function fileSystemEntries(config: PersonConfig): ConfigEntry[] {
  return pick(config, [
    ['core', 'fileMode'],
    ['core', 'symlinks'],
    ['core', 'ignoreCase'],
    ['core', 'precomposeUnicode'],
    ['core', 'trustctime'],
    ['core', 'checkStat'],
  ]);
}

function pick(config: PersonConfig, names: readonly (readonly [section: string, name: string])[]): ConfigEntry[] {
  return names.flatMap(([section, name]) => {
    const value = configValue(config, `${section}.${name}`.toLowerCase());
    return value === undefined ? [] : [{ section, name, value }];
  });
}

async function copyIndex(gitDir: string, shadow: string): Promise<void> {
  const index = join(gitDir, 'index');
  const stats = await lstat(index).catch(() => null);
  if (!stats?.isFile()) return;
  await copyFile(index, join(shadow, 'index'));
  for (const entry of await readdir(gitDir, { withFileTypes: true })) {
    // The other half of a split index.
    if (!entry.name.startsWith('sharedindex.') || !entry.isFile()) continue;
    await copyFile(join(gitDir, entry.name), join(shadow, entry.name));
  }
  // git reads a file whose time is not older than the index's again. A copy is newer than the index, so it would
  // trust what the index never vouched for: its time is set back, which only makes git read more.
  const seconds = Math.floor(stats.mtimeMs / 1000);
  await utimes(join(shadow, 'index'), seconds, seconds);
}

/** A small text file of rules; nothing where it is a link (whose target is none of ours to show), a pipe, or absent. */
async function readRules(path: string): Promise<Buffer> {
  const stats = path === '' ? null : await lstat(path).catch(() => null);
  if (!stats?.isFile() || stats.size > RULES_LIMIT_BYTES) return Buffer.alloc(0);
  return readFile(path).catch(() => Buffer.alloc(0));
}

const RULES_LIMIT_BYTES = 4 * 1024 * 1024;

function expandHome(path: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;
}
