/**
 * The person's effective git configuration, as data. `git config --list` starts no program and opens no repository
 * object; what it lists is never put in force on the host, only picked from by name.
 */
import { Failure } from '@ramet/core/codes';
import { runProcess } from '../../process/index.ts';
import { makePersonConfigEnvironment } from './environment.ts';
import { splitNul } from './split.ts';

/** Settings by key: section and variable in lower case, a subsection as written. Values in order, the last one wins. */
export type PersonConfig = ReadonlyMap<string, readonly string[]>;

/** Reads what git would use in a repository (its config, the person's global one, the system's, includes). */
export async function readPersonConfig(gitDir: string): Promise<PersonConfig> {
  const outcome = await runProcess({
    argv: ['git', 'config', '--list', '--includes', '-z'],
    cwd: gitDir,
    env: makePersonConfigEnvironment(gitDir),
    stdout: { kind: 'collect', limitBytes: 16 * 1024 * 1024 },
    stderrLimitBytes: 4096,
  });
  if (outcome.exitCode !== 0 || outcome.truncated) {
    const said = outcome.stderr.toString().trim().split('\n').at(-1);
    throw new Failure('git_failed', `git config in ${JSON.stringify(gitDir)} failed: ${said || 'it said nothing'}`);
  }
  const settings = new Map<string, string[]>();
  for (const entry of splitNul(outcome.stdout)) {
    const text = entry.toString();
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
