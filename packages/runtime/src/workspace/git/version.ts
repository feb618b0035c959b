import { Failure } from '@ramet/core/codes';
import { runProcess } from '../../process/index.ts';
import { makePersonConfigEnvironment } from './environment.ts';
import { nameMissingGit } from './run.ts';

/** Older ones ignore `GIT_CONFIG_COUNT`, by which hooks and monitors are switched off. */
const OLDEST = [2, 32] as const;

let checked: Promise<void> | null = null;

/** Throws `Failure('git_missing')` where git is absent or too old for what keeps its calls safe; asks once a process. */
export function requireGit(): Promise<void> {
  checked ??= checkVersion().catch((error: unknown) => {
    checked = null;
    throw error;
  });
  return checked;
}

/** The version in the output of `git version`; null where there is none. */
export function parseGitVersion(text: string): readonly [major: number, minor: number] | null {
  const match = /^git version (\d+)\.(\d+)/.exec(text);
  return match === null ? null : [Number(match[1]), Number(match[2])];
}

/** Whether a version has what our calls rely on. */
export function isSupportedGit([major, minor]: readonly [major: number, minor: number]): boolean {
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

async function checkVersion(): Promise<void> {
  const outcome = await nameMissingGit(() =>
    runProcess({
      argv: ['git', 'version'],
      cwd: '/',
      env: makePersonConfigEnvironment(),
      stdout: { kind: 'collect', limitBytes: 1024 },
      stderrLimitBytes: 1024,
    }),
  );
  const text = outcome.stdout.toString().trim();
  const version = parseGitVersion(text);
  if (version !== null && isSupportedGit(version)) return;
  throw new Failure(
    'git_missing',
    `git ${OLDEST.join('.')} or later is needed; the git on PATH says ${JSON.stringify(text)}.`,
  );
}
