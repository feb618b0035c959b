import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isRefusal } from '@ramet/core/codes';
import {
  digestTree,
  makePipe,
  makeRepository,
  makeScratchArea,
  readTree,
  type ScratchArea,
  writeFiles,
} from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCheckout } from '../../../src/workspace/checkout/index.ts';
import { parseStatus } from '../../../src/workspace/checkout/status.ts';
import { openProject } from '../../../src/workspace/project/index.ts';
import type { OpenedWorkspace } from '../../../src/workspace/types.ts';

let area: ScratchArea;
let state: string;
let target: string;

beforeEach(() => {
  area = makeScratchArea();
  state = join(area.folder, 'state');
  target = join(state, 'runs', 'one', 'workspace');
  mkdirSync(join(state, 'runs', 'one'), { recursive: true });
});
afterEach(() => area.remove());

async function create(repository: string, allowDirty: boolean): Promise<OpenedWorkspace> {
  const project = await openProject({ stateFolder: state, cwd: repository });
  if (project === null || isRefusal(project)) throw new Error('no project');
  const before = digestTree(repository);
  const opened = await createCheckout({ project, target, allowDirty, captureIgnored: true });
  if (isRefusal(opened)) throw new Error(opened.message);
  expect(digestTree(repository)).toBe(before);
  return opened;
}

const QUESTIONS = [
  ['status', '--porcelain=v2', '-z', '--untracked-files=all'],
  ['ls-files', '--stage', '-z'],
  ['ls-files', '-v', '-z'],
  ['diff', '--no-ext-diff', '--no-textconv'],
];

function ask(cwd: string): string[] {
  return QUESTIONS.map((args) => area.git(cwd, ...args));
}

function makeDirty(): string {
  const repository = makeRepository(area, 'r', {
    staged: 'old',
    unstaged: 'old',
    both: 'old',
    gone: 'old',
    'staged-gone': 'old',
    mode: 'old',
    'to-link': 'old',
    'to-folder': 'old',
    assumed: 'old',
    skipped: 'old',
    'skipped-gone': 'old',
    'was-folder/x': 'old',
    'old-name': 'a file that is renamed\n',
  });
  writeFiles(repository, { staged: 'new', both: 'new' });
  area.git(repository, 'add', 'staged', 'both');
  area.git(repository, 'rm', '-q', 'staged-gone');
  area.git(repository, 'mv', 'old-name', 'new-name');
  area.git(repository, 'update-index', '--assume-unchanged', 'assumed');
  area.git(repository, 'update-index', '--skip-worktree', 'skipped', 'skipped-gone');
  rmSync(join(repository, 'skipped-gone'));
  writeFiles(repository, {
    unstaged: 'new',
    both: 'newer',
    assumed: 'new',
    skipped: 'new',
    'untracked/é "x"\n': 'u',
    intended: 'i',
  });
  area.git(repository, 'add', '-N', 'intended');
  chmodSync(join(repository, 'mode'), 0o755);
  for (const path of ['gone', 'to-link', 'to-folder']) rmSync(join(repository, path));
  rmSync(join(repository, 'was-folder'), { recursive: true });
  writeFileSync(join(repository, 'was-folder'), 'now a file');
  symlinkSync('/etc/passwd', join(repository, 'to-link'));
  writeFiles(repository, { 'to-folder/inner': 'i' });
  symlinkSync('nowhere', join(repository, 'untracked', 'link'));
  makePipe(join(repository, 'untracked', 'pipe'));
  return repository;
}

describe('a dirty checkout', () => {
  test('is named and stays behind', async () => {
    const repository = makeDirty();
    const opened = await create(repository, false);
    expect(opened.dirty.carried).toBe(false);
    expect(opened.dirty.staged).toEqual(['both', 'new-name', 'old-name', 'staged', 'staged-gone']);
    expect(opened.dirty.unstaged).toContain('gone');
    expect(opened.dirty.untracked).toContain('untracked/é "x"\\x0a');
    expect(opened.dirty.counts?.untracked).toBe(opened.dirty.untracked.length);
    expect(area.git(target, 'status', '--porcelain')).toBe('');
    expect(readFileSync(join(target, 'both'), 'utf8')).toBe('old');
  });

  test('comes along as it is with allowDirty', async () => {
    const repository = makeDirty();
    const opened = await create(repository, true);
    expect(opened.dirty.carried).toBe(true);
    expect(readTree(target)).toEqual(readTree(repository));
    expect(ask(target)).toEqual(ask(repository));
    expect(existsSync(join(target, 'untracked', 'pipe'))).toBe(false);
    expect(area.git(target, 'fsck', '--full', '--no-dangling')).toBe('');
    // git cannot stash what is only intended to be added.
    area.git(target, 'add', 'intended');
    area.git(target, 'stash', '-u');
    area.git(target, 'gc', '-q', '--prune=now');
  });

  test('brings its index even when no commit was made yet', async () => {
    area.git(area.folder, 'init', '-q', '-b', 'trunk', 'r');
    const repository = join(area.folder, 'r');
    writeFiles(repository, { a: 'a', b: 'b' });
    area.git(repository, 'add', 'a');
    await create(repository, true);
    expect(ask(target)).toEqual(ask(repository));
    expect(area.git(target, 'show', ':a')).toBe('a');
  });

  test('brings a half resolved conflict, and says which operation does not come', async () => {
    const repository = makeRepository(area, 'r', { a: 'base\n', b: 'base\n' });
    area.git(repository, 'checkout', '-qb', 'other');
    writeFiles(repository, { a: 'other\n', b: 'other\n' });
    area.git(repository, 'commit', '-qam', 'other');
    area.git(repository, 'checkout', '-q', 'main');
    writeFiles(repository, { a: 'main\n', b: 'main\n' });
    area.git(repository, 'commit', '-qam', 'main');
    expect(() => area.git(repository, 'merge', 'other')).toThrow();
    writeFiles(repository, { a: 'resolved\n' });
    area.git(repository, 'add', 'a');
    const opened = await create(repository, true);
    expect(opened.dirty).toMatchObject({ operation: 'merge', carried: true });
    expect(area.git(target, 'ls-files', '--stage')).toBe(area.git(repository, 'ls-files', '--stage'));
    expect(readTree(target)).toEqual(readTree(repository));
    expect(existsSync(join(target, '.git', 'MERGE_HEAD'))).toBe(false);
  });

  test('reads a split index and a racy one', async () => {
    const repository = makeRepository(area, 'r', { a: 'same length 1', b: 'b' });
    area.git(repository, 'update-index', '--split-index');
    // Same size, same second as the index: only its content tells.
    writeFileSync(join(repository, 'a'), 'same length 2');
    const second = Math.floor(Date.now() / 1000);
    utimesSync(join(repository, 'a'), second, second);
    utimesSync(join(repository, '.git', 'index'), second, second);
    const opened = await create(repository, false);
    expect(opened.dirty.unstaged).toEqual(['a']);
  });

  test('counts stashes and names a stopped rebase', async () => {
    const repository = makeRepository(area, 'r', { a: 'a' });
    for (const content of ['one', 'two']) {
      writeFiles(repository, { a: content });
      area.git(repository, 'stash');
    }
    area.git(repository, 'commit', '-q', '--allow-empty', '-m', 'second');
    expect(() => area.git(repository, 'rebase', '-q', '-x', 'false', 'HEAD^')).toThrow();
    const opened = await create(repository, false);
    expect(opened.dirty).toMatchObject({ stashes: 2, operation: 'rebase' });
    expect(opened.branch).toBeNull();
    expect(() => area.git(target, 'rev-parse', '--verify', '-q', 'refs/stash')).toThrow();
  });
});

test('parseStatus keeps names with blanks, newlines and bytes that are no text', () => {
  const id = '0'.repeat(40);
  const output = Buffer.concat([
    Buffer.from(`1 .M N... 100644 100644 100644 ${id} ${id}  a b \0`),
    Buffer.from(`1 A. N... 000000 100644 100644 ${id} ${id} n\nl\0`),
    Buffer.from(`u UU N... 100644 100644 100644 100644 ${id} ${id} ${id} c d\0? `),
    Buffer.from([0xff]),
    Buffer.from('\0! ignored/\0'),
  ]);
  const status = parseStatus(output);
  expect(status.unstaged.map(String)).toEqual([' a b ', 'c d']);
  expect(status.staged.map(String)).toEqual(['n\nl', 'c d']);
  expect(status.untracked).toEqual([Buffer.from([0xff])]);
  expect(status.ignored.map(String)).toEqual(['ignored']);
});
