/**
 * Finds the person's repository for a folder, as git itself would: their ownership rules (`safe.directory`), their
 * git version's formats.
 *
 * 1. `GIT_*` variables play no part.
 * 2. The checkout is the folder that holds `.git`; `core.worktree` does not redirect it.
 */
import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { type Refusal, refuse } from '@ramet/core/codes';
import { type ProcessOutcome, runProcess } from '../../process/index.ts';
import { makePersonConfigEnvironment } from '../git/environment.ts';
import { nameMissingGit } from '../git/run.ts';
import { requireGit } from '../git/version.ts';

/** A repository of the person's, seen from one of its checkouts. */
export interface Repository {
  /** Top of the working tree; a real path. */
  readonly checkout: string;
  /** The git directory of this checkout (of a linked worktree: its own). */
  readonly gitDir: string;
  /** What all its worktrees share. */
  readonly commonDir: string;
  readonly objectFormat: string;
  readonly shallow: boolean;
  /** The folder asked about, relative to `checkout`; '' at its top. */
  readonly prefix: string;
}

/** An include of a hostile config may name a pipe nobody writes to. */
const TIMEOUT_MS = 60_000;
const FACTS = ['--is-bare-repository', '--is-inside-git-dir', '--is-shallow-repository', '--show-object-format'];
const PATHS = ['--path-format=absolute', '--absolute-git-dir', '--git-common-dir'];

/** The repository of a folder; null where there is none; a refusal where it is one that cannot be used. */
export async function findRepository(cwd: string): Promise<Repository | Refusal | null> {
  const folder = await realpath(cwd).catch(() => null);
  if (folder === null)
    return refuse('no_workspace', `The folder ${JSON.stringify(cwd)} does not exist.`, { path: cwd });
  const [facts] = await Promise.all([askGit(folder, [...FACTS, ...PATHS]), requireGit()]);
  if (facts.exitCode !== 0) return explainFailure(folder, facts.stderr.toString());
  const lines = facts.stdout.toString().split('\n');
  const [bare, inside, shallow, objectFormat = 'sha1'] = lines;
  if (bare === 'true') return unsupported(folder, 'is in a bare repository, which has no files: use a checkout of it');
  if (inside === 'true') return unsupported(folder, 'is inside a git directory: go to the checkout it belongs to');
  const [gitDir, commonDir] = await readPaths(folder, lines.slice(FACTS.length));
  const checkout = await findCheckout(folder, gitDir);
  if (checkout === null) return unsupported(folder, `belongs to ${gitDir}, but no folder above it holds a .git`);
  const prefix = relative(checkout, folder);
  return { checkout, gitDir, commonDir, objectFormat, shallow: shallow === 'true', prefix };
}

async function findCheckout(folder: string, gitDir: string): Promise<string | null> {
  for (let at = folder; ; at = dirname(at)) {
    const entry = join(at, '.git');
    const stats = await lstat(entry).catch(() => null);
    // git passes over a `.git` folder that is no repository, but never over a `.git` file.
    if (stats?.isFile()) return at;
    if (stats !== null && (await realpath(entry).catch(() => '')) === gitDir) return at;
    if (at === dirname(at)) return null;
  }
}

/** The git directory and the common one. `rev-parse` writes one a line, which a path with a newline makes ambiguous. */
async function readPaths(folder: string, lines: readonly string[]): Promise<[string, string]> {
  const [gitDir = '', commonDir = '', end] = lines;
  if (lines.length === 3 && end === '') return Promise.all([realpath(gitDir), realpath(commonDir)]);
  return Promise.all([
    askPath(folder, ['--absolute-git-dir']),
    askPath(folder, ['--path-format=absolute', '--git-common-dir']),
  ]);
}

async function askPath(folder: string, args: readonly string[]): Promise<string> {
  const outcome = await askGit(folder, args);
  // Exactly one newline is git's; a path may end in more.
  return realpath(outcome.stdout.subarray(0, -1).toString());
}

function askGit(folder: string, args: readonly string[]): Promise<ProcessOutcome> {
  return nameMissingGit(() =>
    runProcess({
      argv: ['git', 'rev-parse', ...args],
      cwd: folder,
      env: makePersonConfigEnvironment(),
      stdout: { kind: 'collect', limitBytes: 64 * 1024 },
      stderrLimitBytes: 16 * 1024,
      timeoutMs: TIMEOUT_MS,
    }),
  );
}

function explainFailure(folder: string, stderr: string): Refusal | null {
  if (/not a git repository \(or any/.test(stderr)) return null;
  // The reason may go on in indented lines; an empty line ends it.
  const fatal = /^fatal: (.*(?:\n\t.*)*)/m.exec(stderr)?.[1] ?? stderr.trim();
  const reason = fatal.replace(/\s*\n\s*/g, ' ');
  const hint = stderr.includes('safe.directory')
    ? `; if you trust it: git config --global --add safe.directory ${JSON.stringify(folder)}`
    : '';
  return unsupported(folder, `is in a repository git cannot use: ${reason}${hint}`);
}

function unsupported(folder: string, reason: string): Refusal {
  return refuse('unsupported_repository', `${JSON.stringify(folder)} ${reason}.`, { path: folder, reason });
}
