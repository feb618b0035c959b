/**
 * The person's effective git configuration, as data. `git config --list` starts no program and opens no repository
 * object; what it lists is never put in force on the host, only picked from by name.
 */
import { Failure } from '@ramet/core/codes';
import { runProcess } from '../../process/index.ts';
import { makePersonConfigEnvironment } from './environment.ts';
import { nameMissingGit } from './run.ts';
import { splitNul } from './split.ts';

/** Settings by key: section and variable in lower case, a subsection as written. Values in order, the last one wins. */
export type PersonConfig = ReadonlyMap<string, readonly string[]>;

const TIMEOUT_MS = 60_000;

/**
 * Reads what git would use in a repository: the system's config, the person's global one, the repository's, includes.
 * With `'person'` only what the person or the system has set, nothing a repository could have brought along.
 */
export async function readPersonConfig(gitDir: string, scope: 'all' | 'person' = 'all'): Promise<PersonConfig> {
  const outcome = await nameMissingGit(() =>
    runProcess({
      argv: ['git', 'config', '--list', '--show-scope', '--includes', '-z'],
      cwd: gitDir,
      env: makePersonConfigEnvironment(gitDir),
      stdout: { kind: 'collect', limitBytes: 16 * 1024 * 1024 },
      stderrLimitBytes: 4096,
      // An include may name a pipe nobody writes to.
      timeoutMs: TIMEOUT_MS,
    }),
  );
  if (outcome.exitCode !== 0 || outcome.truncated) {
    const said = outcome.stderr.toString().trim().split('\n').at(-1);
    throw new Failure('git_failed', `git config in ${JSON.stringify(gitDir)} failed: ${said || 'it said nothing'}`);
  }
  const settings = new Map<string, string[]>();
  const fields = splitNul(outcome.stdout).map(String);
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [from = '', text = ''] = fields.slice(at, at + 2);
    if (scope === 'person' && from !== 'global' && from !== 'system') continue;
    const newline = text.indexOf('\n');
    const key = newline < 0 ? text : text.slice(0, newline);
    // A variable without `=` is a boolean that is true.
    const value = newline < 0 ? 'true' : text.slice(newline + 1);
    settings.set(key, [...(settings.get(key) ?? []), value]);
  }
  return settings;
}

/** The value in force of a setting, or undefined. */
export function configValue(config: PersonConfig, key: string): string | undefined {
  return config.get(key)?.at(-1);
}

/** Whether a boolean setting is on, by git's rules for booleans. */
export function configIsTrue(config: PersonConfig, key: string): boolean {
  const value = configValue(config, key)?.toLowerCase();
  return value !== undefined && value !== '' && !['false', 'no', 'off', '0'].includes(value);
}
