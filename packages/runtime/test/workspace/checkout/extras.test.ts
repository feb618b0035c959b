import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { isRefusal } from '@ramet/core/codes';
import { makePipe, makeRepository, makeScratchArea, type ScratchArea, writeFiles } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CheckoutRequest, carryFolders, createCheckout } from '../../../src/workspace/checkout/index.ts';
import { openProject } from '../../../src/workspace/project/index.ts';
import type { OpenedWorkspace } from '../../../src/workspace/types.ts';

let area: ScratchArea;
let state: string;
let target: string;
let realHome: string | undefined;

beforeEach(() => {
  area = makeScratchArea();
  place(join(area.folder, 'state'));
  realHome = process.env.HOME;
  process.env.HOME = area.home;
});
afterEach(() => {
  process.env.HOME = realHome;
  area.remove();
});

function place(folder: string): void {
  state = folder;
  target = join(state, 'runs', 'one', 'workspace');
}

async function tryCreate(repository: string, more: Partial<CheckoutRequest> = {}) {
  mkdirSync(join(state, 'runs', 'one'), { recursive: true });
  const project = await openProject({ stateFolder: state, cwd: repository });
  if (project === null || isRefusal(project)) throw new Error('no project');
  return createCheckout({ project, target, allowDirty: false, captureIgnored: true, ...more });
}

async function create(repository: string, more: Partial<CheckoutRequest> = {}): Promise<OpenedWorkspace> {
  const opened = await tryCreate(repository, more);
  if (isRefusal(opened)) throw new Error(opened.message);
  return opened;
}

const IGNORE = 'node_modules/\nvendor\n.env\nbuild/\n*.log\n';

describe('carried folders', () => {
  test('come with links, modes and times, wherever they lie', async () => {
    const repository = makeRepository(area, 'r', { '.gitignore': IGNORE, 'pkg/a': 'a' });
    writeFiles(repository, {
      'node_modules/x/index.js': 'x',
      'node_modules/.hidden': 'h',
      'node_modules/x/.git/HEAD': 'ref: x',
      'node_modules/big': 'b'.repeat(2_000_000),
      'pkg/node_modules/y': 'y',
      'build/deep/node_modules/z': 'z',
    });
    mkdirSync(join(repository, 'node_modules', 'empty'));
    mkdirSync(join(repository, 'node_modules', '.bin'));
    symlinkSync('../x/index.js', join(repository, 'node_modules', '.bin', 'x'));
    symlinkSync('/etc', join(repository, 'node_modules', 'outside'));
    chmodSync(join(repository, 'node_modules', 'x', 'index.js'), 0o755);
    utimesSync(join(repository, 'node_modules', 'x', 'index.js'), 1_000_000, 1_000_000);
    makePipe(join(repository, 'node_modules', 'pipe'));
    const opened = await create(repository);
    expect(opened.carried.map(({ path, from }) => [path, from])).toEqual([
      ['build/deep/node_modules', 'project'],
      ['node_modules', 'project'],
      ['pkg/node_modules', 'project'],
    ]);
    expect(opened.carried.every(({ how }) => how === 'reflink' || how === 'copy')).toBe(true);
    const copied = statSync(join(target, 'node_modules', 'x', 'index.js'));
    expect([copied.mode & 0o777, copied.mtimeMs]).toEqual([0o755, 1_000_000_000]);
    expect(readlinkSync(join(target, 'node_modules', '.bin', 'x'))).toBe('../x/index.js');
    expect(readlinkSync(join(target, 'node_modules', 'outside'))).toBe('/etc');
    expect(readFileSync(join(target, 'node_modules', 'x', '.git', 'HEAD'), 'utf8')).toBe('ref: x');
    expect(readFileSync(join(target, 'node_modules', 'big')).length).toBe(2_000_000);
    expect(existsSync(join(target, 'node_modules', 'empty'))).toBe(true);
    expect(existsSync(join(target, 'node_modules', 'pipe'))).toBe(false);
    expect(opened.leftOut).toContainEqual({ path: 'node_modules/pipe', reason: 'special_file' });
    expect(statSync(join(target, 'pkg/node_modules/y')).ino).not.toBe(
      statSync(join(repository, 'pkg/node_modules/y')).ino,
    );
  });

  test('are those the caller names, and only where ignored', async () => {
    const repository = makeRepository(area, 'r', { '.gitignore': 'build/\n', 'vendor/tracked': 't' });
    writeFiles(repository, { 'build/out': 'o', 'node_modules/x': 'x' });
    const opened = await create(repository, { carry: ['build', 'node_modules'] });
    expect(opened.carried.map(({ path }) => path)).toEqual(['build']);
    expect(opened.dirty.untracked).toEqual(['node_modules/x']);
    expect(readFileSync(join(target, 'vendor', 'tracked'), 'utf8')).toBe('t');
    expect(existsSync(join(target, 'node_modules'))).toBe(false);
  });

  test('bring the ignored part of a folder git holds in part', async () => {
    const repository = makeRepository(area, 'r', { '.gitignore': '*.log\n', 'vendor/tracked': 't' });
    writeFiles(repository, { 'vendor/x.log': 'x' });
    expect((await create(repository)).carried.map(({ path }) => path)).toEqual(['vendor']);
    expect(readdirSync(join(target, 'vendor'))).toEqual(['tracked', 'x.log']);
  });

  test('a link that has the name of one stays a link', async () => {
    const repository = makeRepository(area, 'r', { '.gitignore': 'node_modules\n' });
    writeFiles(area.folder, { 'elsewhere/x': 'x' });
    symlinkSync('../elsewhere', join(repository, 'node_modules'));
    const opened = await create(repository);
    expect(opened.carried).toEqual([]);
    expect(lstatSync(join(target, 'node_modules')).isSymbolicLink()).toBe(true);
  });
});

describe('small ignored files', () => {
  test('come along up to the limits, in path order', async () => {
    const repository = makeRepository(area, 'r', { '.gitignore': IGNORE });
    writeFiles(repository, {
      '.env': 'secret',
      'build/a': '1234',
      'build/b': '1234',
      'build/c': '1',
      'x.log': 'a'.repeat(50),
    });
    chmodSync(join(repository, '.env'), 0o600);
    const opened = await create(repository, { limits: { ignoredFileBytes: 10, ignoredTotalBytes: 12 } });
    expect(opened.copied).toEqual(['.env', 'build/a', 'build/c']);
    expect(opened.leftOut).toEqual([
      { path: 'x.log', reason: 'too_large', bytes: 50 },
      { path: 'build/b', reason: 'over_total', bytes: 4 },
    ]);
    expect(statSync(join(target, '.env')).mode & 0o777).toBe(0o600);
    expect(area.git(target, 'status', '--porcelain')).toBe('');
  });

  test('stay behind and are listed when captureIgnored is off; carried folders still come', async () => {
    const repository = makeRepository(area, 'r', { '.gitignore': IGNORE });
    writeFiles(repository, { '.env': 'secret', 'build/a': 'a', 'node_modules/x': 'x' });
    const opened = await create(repository, { captureIgnored: false });
    expect(opened.copied).toEqual([]);
    expect(opened.leftOut).toEqual([
      { path: '.env', reason: 'ignored' },
      { path: 'build', reason: 'ignored' },
    ]);
    expect(readdirSync(target).sort()).toEqual(['.git', '.gitignore', 'node_modules']);
  });

  test('of a repository inside stay with it', async () => {
    const repository = makeRepository(area, 'r', { '.gitignore': IGNORE });
    mkdirSync(join(repository, 'build'));
    area.git(join(repository, 'build'), 'init', '-q', 'inner');
    const opened = await create(repository);
    expect(opened.leftOut).toEqual([{ path: 'build/inner', reason: 'not_supported' }]);
  });

  test('the ignore rules of the person alone count too, and go on counting in the checkout', async () => {
    const repository = makeRepository(area, 'r', { a: 'a' });
    writeFiles(area.home, { '.config/git/ignore': 'global.txt\n' });
    writeFiles(repository, { '.git/info/exclude': 'private.txt', 'global.txt': 'g', 'private.txt': 'p' });
    expect((await create(repository)).copied).toEqual(['global.txt', 'private.txt']);
    expect(area.git(target, '-c', 'core.excludesFile=/dev/null', 'status', '--porcelain')).toBe('');
  });
});

describe('a workspace that is too large', () => {
  test('is refused with the numbers before anything is copied', async () => {
    const repository = makeRepository(area, 'r', { '.gitignore': IGNORE });
    writeFiles(repository, { 'node_modules/a': 'a'.repeat(600), 'node_modules/b': 'b'.repeat(600) });
    const answer = await tryCreate(repository, { limits: { copyBytes: 1000 } });
    expect(answer).toMatchObject({ code: 'workspace_too_large', data: { bytes: 1200, limits: { bytes: 1000 } } });
    expect(readdirSync(join(state, 'runs', 'one'))).toEqual([]);
    const many = await tryCreate(repository, { limits: { entries: 2 } });
    expect(many).toMatchObject({ code: 'workspace_too_large', data: { entries: 3 } });
  });

  test('a home folder is refused, unless told', async () => {
    area.git(area.home, 'init', '-q');
    writeFiles(area.home, { '.ssh/id': 'key' });
    expect(await tryCreate(area.home)).toMatchObject({ code: 'workspace_too_large', data: { reason: 'home' } });
    expect(await tryCreate(area.home, { limits: { allowHome: true } })).toMatchObject({ kind: 'git' });
  });
});

test.each([
  ['not ignored', ''],
  ['ignored', '.state\n'],
  ['in a carried folder', 'node_modules\n'],
])('our state folder inside the repository is never copied: %s', async (_, ignore) => {
  const repository = makeRepository(area, 'r', { '.gitignore': ignore });
  const inside = ignore.includes('node_modules') ? 'node_modules/.state' : '.state';
  place(join(repository, inside));
  writeFiles(repository, { 'node_modules/x': 'x' });
  const opened = await create(repository, { allowDirty: true });
  expect(existsSync(join(target, inside))).toBe(false);
  expect(JSON.stringify(opened)).not.toContain('.state');
});

describe('carryFolders', () => {
  test('takes from the first source that has a folder, by the rules of the target', async () => {
    const repository = makeRepository(area, 'r', { '.gitignore': 'node_modules/\n.venv\n', 'sub/a': 'a' });
    const parent = join(area.folder, 'parent');
    writeFiles(parent, { 'node_modules/x': 'of parent', 'vendor/v': 'not ignored', '.git/node_modules/g': 'g' });
    writeFiles(repository, { 'node_modules/x': 'of project', '.venv/p': 'p' });
    await create(repository, { carry: [], captureIgnored: false });
    const sources = [
      { from: 'parent', path: parent },
      { from: 'project', path: repository },
      { from: 'project', path: join(area.folder, 'gone') },
    ] as const;
    const carried = await carryFolders({ sources, target, carry: ['node_modules', '.venv', 'vendor'] });
    expect(carried.map(({ path, from }) => [path, from])).toEqual([
      ['node_modules', 'parent'],
      ['.venv', 'project'],
    ]);
    expect(readFileSync(join(target, 'node_modules', 'x'), 'utf8')).toBe('of parent');
    expect(existsSync(join(target, 'vendor'))).toBe(false);
  });

  test('never goes through a link, in the source or in the target', async () => {
    const repository = makeRepository(area, 'r', { '.gitignore': 'node_modules/\n' });
    symlinkSync('../outside', join(repository, 'sub'));
    area.git(repository, 'add', 'sub');
    area.git(repository, 'commit', '-qm', 'link');
    writeFiles(area.folder, { 'outside/keep': 'k', 'parent/sub/node_modules/x': 'x' });
    symlinkSync(area.folder, join(area.folder, 'parent', 'loop'));
    await create(repository);
    const carried = await carryFolders({
      sources: [{ from: 'parent', path: join(area.folder, 'parent') }],
      target,
      carry: ['node_modules'],
    });
    expect(carried).toEqual([]);
    expect(readdirSync(join(area.folder, 'outside'))).toEqual(['keep']);
    expect(lstatSync(join(target, 'sub')).isSymbolicLink()).toBe(true);
  });
});
