/**
 * Which folders of the person's PATH a command may see, and with them the installation each belongs to.
 *
 * 1. Never `$HOME` or above, never what is named hidden, nor anything that holds or lies in it.
 * 2. Never a project: no `node_modules/.bin`, no folder of a git checkout (an installation that is one, such as
 *    `~/.pyenv` or `/opt/flutter`, counts as an installation).
 * 3. Files of a known credential name at the top of an installation read as empty.
 *
 * Not covered: a secret in an installation under another name. Installations are programs; keep secrets elsewhere.
 */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';

export interface Toolchains {
  /** Folders for PATH inside, in the person's order. */
  readonly path: readonly string[];
  /** Folders to mount read-only; none lies in another or in a system folder. */
  readonly prefixes: readonly string[];
  /** Files in them to hide. */
  readonly hiddenFiles: readonly string[];
  /** Variables with which version managers find their folder, as HOME is another one inside. */
  readonly env: Readonly<Record<string, string>>;
}

export interface ToolchainOptions {
  /** The person's PATH. */
  readonly path: string;
  readonly home: string;
  readonly hidden: readonly string[];
  /** Mounted anyway. */
  readonly system: readonly string[];
}

const BIN_NAMES = new Set(['bin', 'sbin', 'shims']);
const NEVER_PREFIX = new Set(['/', '/boot', '/etc', '/home', '/media', '/mnt', '/root', '/srv', '/tmp', '/var']);
const NEVER_UNDER = ['/dev', '/proc', '/run', '/sys', '/var/run'];
/** Folders of HOME that hold much more than programs. */
const SHARED_HOME_FOLDERS = ['.local', '.config', '.cache', '.docker', '.ssh', '.gnupg', 'Library'];
const INSTALLATION_ROOTS = ['/opt', '/usr', '/nix'];
const CREDENTIAL_FILES = [
  'credentials',
  'credentials.toml',
  '.npmrc',
  '.netrc',
  '.pypirc',
  'auth.json',
  '.git-credentials',
  '.git/config',
];
const MANAGER_VARIABLES: Readonly<Record<string, string>> = {
  '.pyenv': 'PYENV_ROOT',
  '.rbenv': 'RBENV_ROOT',
  '.nodenv': 'NODENV_ROOT',
  '.asdf': 'ASDF_DATA_DIR',
  '.volta': 'VOLTA_HOME',
};

/** Reads what PATH names. Relative, missing and refused folders are left out of the PATH inside. */
export function readToolchains(options: ToolchainOptions): Toolchains {
  const home = realPathOf(options.home) ?? options.home;
  const hidden = options.hidden.flatMap((path) => [path, realPathOf(path) ?? path]);
  const path: string[] = [];
  const prefixes: string[] = [];
  for (const entry of options.path.split(':')) {
    const folder = isAbsolute(entry) ? realPathOf(entry) : null;
    if (folder === null || folder.includes(':') || path.includes(folder)) continue;
    if (!options.system.some((root) => isWithin(folder, root))) {
      const prefix = BIN_NAMES.has(basename(folder)) ? dirname(folder) : folder;
      if (!mayShow(prefix, home, hidden)) continue;
      prefixes.push(prefix);
    }
    path.push(folder);
  }
  return finishToolchains(path, withRustup(prefixes), home);
}

function finishToolchains(path: readonly string[], found: readonly string[], home: string): Toolchains {
  const distinct = [...new Set(found)].sort();
  const prefixes = distinct.filter((prefix) => !distinct.some((other) => other !== prefix && isWithin(prefix, other)));
  const env: Record<string, string> = {};
  for (const prefix of distinct) {
    const variable = MANAGER_VARIABLES[basename(prefix)];
    if (variable !== undefined && dirname(prefix) === home) env[variable] = prefix;
    if (basename(prefix) === '.rustup') env.RUSTUP_HOME = prefix;
  }
  const hiddenFiles = prefixes
    .flatMap((prefix) => CREDENTIAL_FILES.map((name) => join(prefix, name)))
    .filter(existsSync);
  return { path, prefixes, hiddenFiles, env };
}

/** The programs of `~/.cargo/bin` are rustup's, which keeps the toolchains themselves in a folder beside it. */
function withRustup(prefixes: readonly string[]): string[] {
  const beside = prefixes
    .filter((prefix) => basename(prefix) === '.cargo' && existsSync(join(prefix, 'bin', 'rustup')))
    .map((prefix) => realPathOf(join(dirname(prefix), '.rustup')))
    .filter((path) => path !== null && basename(path) === '.rustup');
  return [...prefixes, ...(beside as string[])];
}

function mayShow(prefix: string, home: string, hidden: readonly string[]): boolean {
  if (NEVER_PREFIX.has(prefix) || NEVER_UNDER.some((root) => isWithin(prefix, root))) return false;
  if (isWithin(home, prefix)) return false;
  if (SHARED_HOME_FOLDERS.some((name) => prefix === join(home, name))) return false;
  if (hidden.some((path) => isWithin(path, prefix) || isWithin(prefix, path))) return false;
  return !`${prefix}/`.includes('/node_modules/') && !isOfProject(prefix, home);
}

function isOfProject(prefix: string, home: string): boolean {
  if (INSTALLATION_ROOTS.some((root) => isWithin(prefix, root))) return false;
  for (let folder = prefix; folder !== home && folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder !== prefix || !basename(folder).startsWith('.');
  }
  return false;
}

/** Whether `path` is `folder` or lies in it; both absolute and normalised. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function realPathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
