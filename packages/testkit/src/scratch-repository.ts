/** Real git repositories in temporary folders, and what tests ask of them. The person's side: their own git runs here. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A temporary folder with a HOME of its own, so no configuration of the machine plays a part. */
export interface ScratchArea {
  readonly folder: string;
  readonly home: string;
  /** Runs the person's git; returns its output without the last newline. */
  git(cwd: string, ...args: string[]): string;
  remove(): void;
}

/** Makes a temporary folder; `name` becomes part of its path. */
export function makeScratchArea(name = 'area'): ScratchArea {
  const folder = join(realpathSync(mkdtempSync(join(tmpdir(), 'ramet-test-'))), name);
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  writeFileSync(
    join(home, '.gitconfig'),
    '[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n',
  );
  const env = { PATH: process.env.PATH, HOME: home, LANG: 'C', GIT_CONFIG_NOSYSTEM: '1' };
  return {
    folder,
    home,
    git: (cwd, ...args) =>
      execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).replace(/\n$/, ''),
    remove: () => rmSync(dirname(folder), { recursive: true, force: true }),
  };
}

/** Writes files below a folder, making parents. */
export function writeFiles(folder: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** A repository with one commit of these files. */
export function makeRepository(area: ScratchArea, name: string, files: Readonly<Record<string, string>>): string {
  const path = join(area.folder, name);
  mkdirSync(path, { recursive: true });
  area.git(path, 'init', '-q');
  writeFiles(path, files);
  area.git(path, 'add', '-A');
  area.git(path, 'commit', '-q', '--allow-empty', '-m', 'first');
  return path;
}

/** An executable that leaves a trace when it is run, and passes its input on. */
export interface Canary {
  readonly script: string;
  /** What ran it, one line a time. */
  traces(): string[];
}

/** Makes a canary; `$0` and its arguments are what it writes down. */
export function makeCanary(area: ScratchArea): Canary {
  const script = join(area.folder, 'canary');
  const trace = join(area.folder, 'canary-trace');
  writeFileSync(script, `#!/bin/sh\necho "$0 $*" >> '${trace}'\ncat\n`);
  chmodSync(script, 0o755);
  return { script, traces: () => (existsSync(trace) ? readFileSync(trace, 'utf8').trim().split('\n') : []) };
}

/** A digest of every path, type, mode, time and byte below a folder: equal digests mean nothing was written there. */
export function digestTree(folder: string): string {
  const hash = createHash('sha256');
  for (const path of listTree(folder)) {
    const stats = lstatSync(join(folder, path), { bigint: true });
    hash.update(`${path}\0${stats.mode}\0${stats.isDirectory() ? '' : stats.mtimeNs}\0`);
    if (stats.isFile()) hash.update(readFileSync(join(folder, path)));
    if (stats.isSymbolicLink()) hash.update(readlinkSync(join(folder, path)));
  }
  return hash.digest('hex');
}

/** Every file and link below a folder with its content, but for `.git`. */
export function readTree(folder: string): Record<string, string> {
  const tree: Record<string, string> = {};
  for (const path of listTree(folder)) {
    if (path === '.git' || path.startsWith('.git/')) continue;
    const stats = lstatSync(join(folder, path));
    if (stats.isFile())
      tree[path] = `${(stats.mode & 0o777).toString(8)} ${readFileSync(join(folder, path), 'latin1')}`;
    if (stats.isSymbolicLink()) tree[path] = `-> ${readlinkSync(join(folder, path))}`;
  }
  return tree;
}

function listTree(folder: string): string[] {
  return (readdirSync(folder, { recursive: true, encoding: 'utf8' }) as string[]).sort();
}

/** Makes a named pipe; reading it would block. */
export function makePipe(path: string): void {
  execFileSync('sh', ['-c', 'mkfifo -- "$1"', 'sh', path]);
}
