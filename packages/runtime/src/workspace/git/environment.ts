/**
 * The environment every host git runs in: nothing of the caller's own environment but PATH.
 *
 * 1. No `GIT_*` variable is inherited (a hook's `GIT_INDEX_FILE` beats `--git-dir`).
 * 2. No system or global configuration is read, except by `readPersonConfig`, which only reads it.
 * 3. Our settings outrank a repository's own config, because they come in by `GIT_CONFIG_COUNT`. They switch off
 *    everything that starts a program on plumbing: hooks, the file system monitor, maintenance, transports.
 */
import { tmpdir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';

/** One setting: key and value. */
export type GitSetting = readonly [key: string, value: string];

/** In force for every call; a later setting of the same key wins. */
const ALWAYS: readonly GitSetting[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['core.pager', 'cat'],
  ['core.editor', 'false'],
  ['core.sshCommand', 'false'],
  ['core.protectNTFS', 'false'],
  ['core.protectHFS', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['core.excludesFile', '/dev/null'],
  ['core.fsync', 'all'],
  ['core.quotePath', 'false'],
  ['advice.detachedHead', 'false'],
  ['gc.auto', '0'],
  ['gc.autoDetach', 'false'],
  ['maintenance.auto', 'false'],
  ['protocol.allow', 'never'],
  ['credential.helper', ''],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['log.showSignature', 'false'],
  ['safe.directory', '*'],
];

/** The environment of one call. `paths` become `GIT_DIR` and its companions, absolute: git runs in another folder; `extra` goes last. */
export function makeGitEnvironment(
  paths: { readonly gitDir?: string; readonly workTree?: string; readonly indexFile?: string },
  settings: readonly GitSetting[],
  extra: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    PATH: absolutePath(),
    LANG: 'C',
    LC_ALL: 'C',
    TMPDIR: tmpdir(),
    HOME: '/nonexistent',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    GIT_NO_LAZY_FETCH: '1',
    // A list of allowed transports outranks a repository's `protocol.<name>.allow`.
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_GRAFT_FILE: '/dev/null',
    GIT_LITERAL_PATHSPECS: '1',
    ...(paths.gitDir === undefined ? {} : { GIT_DIR: resolve(paths.gitDir) }),
    ...(paths.workTree === undefined ? {} : { GIT_WORK_TREE: resolve(paths.workTree) }),
    ...(paths.indexFile === undefined ? {} : { GIT_INDEX_FILE: resolve(paths.indexFile) }),
    ...renderSettings([...ALWAYS, ...settings]),
    ...extra,
  };
}

/** The environment that reads the person's own effective configuration: their HOME, and nothing of ours. */
export function makePersonConfigEnvironment(gitDir?: string): Record<string, string> {
  const home = process.env.HOME;
  const xdg = process.env.XDG_CONFIG_HOME;
  return {
    PATH: absolutePath(),
    LANG: 'C',
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    ...(home === undefined ? {} : { HOME: home }),
    ...(xdg === undefined ? {} : { XDG_CONFIG_HOME: xdg }),
    ...(gitDir === undefined ? {} : { GIT_DIR: gitDir }),
  };
}

/** The caller's PATH without relative entries: git runs in folders that others fill. */
function absolutePath(): string {
  const entries = (process.env.PATH ?? '').split(':').filter((entry) => isAbsolute(entry));
  return entries.length > 0 ? entries.join(':') : '/usr/local/bin:/usr/bin:/bin';
}

function renderSettings(settings: readonly GitSetting[]): Record<string, string> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) };
  settings.forEach(([key, value], position) => {
    variables[`GIT_CONFIG_KEY_${position}`] = key;
    variables[`GIT_CONFIG_VALUE_${position}`] = value;
  });
  return variables;
}
