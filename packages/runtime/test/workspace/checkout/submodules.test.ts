import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal } from '@ramet/core/codes';
import {
  digestTree,
  makeCanary,
  makeRepository,
  makeScratchArea,
  readTree,
  type ScratchArea,
  writeFiles,
} from '@ramet/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCheckout } from '../../../src/workspace/checkout/index.ts';
import { openProject } from '../../../src/workspace/project/index.ts';
import type { OpenedWorkspace } from '../../../src/workspace/types.ts';

let area: ScratchArea;
let repository: string;
let target: string;

beforeEach(() => {
  area = makeScratchArea();
  const library = makeRepository(area, 'library', { lib: 'one' });
  const deepest = makeRepository(area, 'deepest', { deep: 'd' });
  addSubmodule(library, deepest, 'inner');
  repository = makeRepository(area, 'r', { a: 'a' });
  addSubmodule(repository, library, 'libs/library');
  area.git(repository, '-c', 'protocol.file.allow=always', 'submodule', 'update', '-q', '--init', '--recursive');
  target = join(area.folder, 'state', 'runs', 'one', 'workspace');
  mkdirSync(join(area.folder, 'state', 'runs', 'one'), { recursive: true });
});
afterEach(() => area.remove());

function addSubmodule(into: string, from: string, path: string): void {
  area.git(into, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', from, path);
  area.git(into, 'commit', '-qm', `add ${path}`);
}

async function create(allowDirty: boolean): Promise<OpenedWorkspace> {
  const project = await openProject({ stateFolder: join(area.folder, 'state'), cwd: repository });
  if (project === null || isRefusal(project)) throw new Error('no project');
  const before = digestTree(repository);
  const opened = await createCheckout({ project, target, allowDirty, captureIgnored: true });
  if (isRefusal(opened)) throw new Error(opened.message);
  expect(digestTree(repository)).toBe(before);
  return opened;
}

function filesBut(folder: string, pattern: RegExp): Record<string, string> {
  return Object.fromEntries(Object.entries(readTree(folder)).filter(([path]) => !pattern.test(path)));
}

test("come from the person's checkout of them, each a repository of its own, and theirs too", async () => {
  const opened = await create(false);
  expect(opened.leftOut).toEqual([]);
  expect(filesBut(target, /\/\.git(\/|$)/)).toEqual(filesBut(repository, /\/\.git(\/|$)/));
  rmSync(repository, { recursive: true });
  expect(area.git(target, 'status', '--porcelain', '--ignore-submodules=none')).toBe('');
  expect(area.git(join(target, 'libs/library'), 'log', '-1', '--format=%s')).toBe('add inner');
  expect(area.git(join(target, 'libs/library/inner'), 'fsck', '--full', '--no-dangling')).toBe('');
  expect(
    area
      .git(target, 'submodule', 'status', '--recursive')
      .split('\n')
      .every((line) => line.startsWith(' ')),
  ).toBe(true);
});

test('are at the commit their parent names, or as the person has them with allowDirty', async () => {
  const library = join(repository, 'libs/library');
  writeFiles(library, { lib: 'two' });
  area.git(library, 'commit', '-qam', 'ahead');
  writeFiles(library, { lib: 'three', new: 'n' });
  const opened = await create(false);
  expect(opened.dirty.unstaged).toEqual(['libs/library']);
  expect(readFileSync(join(target, 'libs/library/lib'), 'utf8')).toBe('one');
  rmSync(target, { recursive: true });
  await create(true);
  expect(readFileSync(join(target, 'libs/library/lib'), 'utf8')).toBe('three');
  expect(readFileSync(join(target, 'libs/library/new'), 'utf8')).toBe('n');
  expect(area.git(join(target, 'libs/library'), 'log', '-1', '--format=%s')).toBe('ahead');
});

test('the person has not checked out stay empty and are named', async () => {
  area.git(repository, 'submodule', '--quiet', 'deinit', '-f', '--all');
  const opened = await create(false);
  expect(opened.leftOut).toEqual([{ path: 'libs/library', reason: 'not_supported' }]);
  expect(readdirSync(join(target, 'libs/library'))).toEqual([]);
  expect(area.git(target, 'status', '--porcelain')).toBe('');
});

test('run no program of their own config', async () => {
  const canary = makeCanary(area);
  const library = join(repository, 'libs/library');
  for (const key of ['core.fsmonitor', 'filter.x.clean', 'filter.x.smudge', 'core.sshCommand']) {
    area.git(library, 'config', key, canary.script);
  }
  writeFiles(area.git(library, 'rev-parse', '--absolute-git-dir'), { 'info/attributes': '* filter=x\n' });
  const traces = canary.traces().length;
  await create(false);
  rmSync(target, { recursive: true });
  await create(true);
  expect(canary.traces().length).toBe(traces);
});

test('a gitlink without a .gitmodules entry comes along as well', async () => {
  area.git(repository, 'init', '-q', 'plain');
  area.git(join(repository, 'plain'), 'commit', '-q', '--allow-empty', '-m', 'inner');
  area.git(repository, 'add', 'plain');
  area.git(repository, 'commit', '-qm', 'gitlink');
  await create(false);
  expect(area.git(join(target, 'plain'), 'log', '--format=%s')).toBe('inner');
});
