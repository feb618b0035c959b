/**
 * Which untracked paths the workspace's ignore rules hide. git judges, but never in the agent's folder: the rules
 * (`.gitignore` files and `info/exclude`, as bytes) are copied into a scratch tree of ours, beside a git directory of
 * ours, and the paths are asked for by name.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git, joinNul, splitNul } from '../../git/index.ts';
import { hashObject, type ObjectFormat } from '../objects/format.ts';
import { type BytePath, folderOf, locate, nestedRepositoryOf } from './names.ts';

/** One file of ignore rules. */
export interface IgnoreFile {
  /** `.gitignore`, `a/.gitignore`, or `.git/info/exclude`. */
  readonly path: BytePath;
  readonly oid: string;
  read(): Uint8Array;
}

export interface IgnoreRules {
  /** Equal keys mean equal answers. */
  readonly key: string;
  /** Which of the paths are ignored. A path that ends in `/` is a folder. */
  findIgnored(paths: readonly BytePath[]): Promise<ReadonlySet<BytePath>>;
}

const EXCLUDE: BytePath = '.git/info/exclude';
const PROBE = '.ramet-probe';

/** Whether a path holds ignore rules that count for the workspace. */
export function isIgnoreFile(path: BytePath): boolean {
  if (path === EXCLUDE) return true;
  const named = path === '.gitignore' || path.endsWith('/.gitignore');
  return named && !path.startsWith('.git/') && nestedRepositoryOf(path) === null;
}

/** The ignore rules of a workspace; git is asked only when a path is. */
export function makeIgnoreRules(
  privateFolder: string,
  format: ObjectFormat,
  files: readonly IgnoreFile[],
): IgnoreRules {
  const lines = files.map((file) => `${file.oid} ${file.path}`).sort();
  const key = hashObject(format, 'blob', Buffer.from(lines.join('\n')));
  const findIgnored = async (paths: readonly BytePath[]) => {
    if (paths.length === 0) return new Set<BytePath>();
    const view = writeView(privateFolder, files);
    const asked = paths.map((path) => (path.endsWith('/') ? path + PROBE : path));
    for (const folder of new Set(asked.map(folderOf)))
      mkdirSync(locate(view.workTree, folder), { recursive: true, mode: 0o700 });
    const outcome = await git({
      ...view,
      args: ['check-ignore', '-z', '--stdin'],
      // With `./` in front no name is taken for pathspec magic; check-ignore refuses to be told so by a variable.
      stdin: joinNul(asked.map((path) => Buffer.from(`./${path}`, 'latin1'))),
      env: { GIT_LITERAL_PATHSPECS: '0' },
      okExitCodes: [0, 1],
    });
    const answers = new Set(splitNul(outcome.stdout).map((name) => name.toString('latin1').slice(2)));
    return new Set(paths.filter((path, position) => answers.has(asked[position] ?? path)));
  };
  return { key, findIgnored };
}

/** Makes the scratch tree anew: what an earlier one held must not count. */
function writeView(privateFolder: string, files: readonly IgnoreFile[]): { gitDir: string; workTree: string } {
  const view = join(privateFolder, 'ignore-view');
  rmSync(view, { recursive: true, force: true });
  const gitDir = join(view, 'git');
  const workTree = join(view, 'tree');
  for (const folder of ['objects', 'refs', 'info']) mkdirSync(join(gitDir, folder), { recursive: true, mode: 0o700 });
  mkdirSync(workTree, { mode: 0o700 });
  writeFileSync(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n', { mode: 0o600 });
  for (const file of files) {
    if (file.path === EXCLUDE) {
      writeFileSync(join(gitDir, 'info', 'exclude'), file.read(), { mode: 0o600 });
      continue;
    }
    mkdirSync(locate(workTree, folderOf(file.path)), { recursive: true, mode: 0o700 });
    writeFileSync(locate(workTree, file.path), file.read(), { mode: 0o600 });
  }
  return { gitDir, workTree };
}
