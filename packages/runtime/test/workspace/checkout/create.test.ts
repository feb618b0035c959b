import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CheckoutRequest, createCheckout } from '../../../src/workspace/checkout/index.ts';
import { openProject } from '../../../src/workspace/project/index.ts';
import type { OpenedWorkspace, Project } from '../../../src/workspace/types.ts';

let area: ScratchArea;
let state: string;
let target: string;
let realHome: string | undefined;

beforeEach(() => {
  area = makeScratchArea();
  state = join(area.folder, 'state');
  target = join(state, 'runs', 'one', 'workspace');
  mkdirSync(join(state, 'runs', 'one'), { recursive: true });
  realHome = process.env.HOME;
  process.env.HOME = area.home;
});
afterEach(() => {
  process.env.HOME = realHome;
  area.remove();
});

async function open(cwd: string): Promise<Project> {
  const project = await openProject({ stateFolder: state, cwd });
  if (project === null || isRefusal(project)) throw new Error('no project');
  return project;
}

async function tryCreate(repository: string, more: Partial<CheckoutRequest> = {}) {
  const project = await open(repository);
  return createCheckout({ project, target, allowDirty: false, captureIgnored: true, ...more });
}

async function create(repository: string, more: Partial<CheckoutRequest> = {}): Promise<OpenedWorkspace> {
  const opened = await tryCreate(repository, more);
  if (isRefusal(opened)) throw new Error(opened.message);
  return opened;
}

function status(cwd: string): string {
  return area.git(cwd, 'status', '--porcelain=v2', '-z', '--untracked-files=all');
}

describe('a checkout of a clean repository', () => {
  test('has the files, refs and HEAD of the person, a clean status, and writes nothing of theirs', async () => {
    const repository = makeRepository(area, 'r', { 'a/b': 'b\r\n', run: '#!/bin/sh', ' odd\tname ': 'x' });
    area.git(repository, 'update-index', '--chmod=+x', 'run');
    symlinkSync('a/b', join(repository, 'link'));
    area.git(repository, 'add', 'link');
    area.git(repository, 'commit', '-qm', 'second');
    area.git(repository, 'reset', '-q', '--hard');
    area.git(repository, 'branch', 'side', 'HEAD^');
    area.git(repository, 'tag', '-a', 'v1', '-m', 'annotated');
    const before = digestTree(repository);
    const opened = await create(repository);
    expect(opened).toMatchObject({ kind: 'git', base: area.git(repository, 'rev-parse', 'HEAD'), branch: 'main' });
    expect(readTree(target)).toEqual(readTree(repository));
    expect(status(target)).toBe('');
    expect(area.git(target, 'for-each-ref')).toBe(area.git(repository, 'for-each-ref'));
    expect(area.git(target, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main');
    expect(area.git(target, 'fsck', '--full', '--strict')).toBe('');
    expect(digestTree(repository)).toBe(before);
    expect(readdirSync(join(state, 'runs', 'one'))).toEqual(['workspace']);
  });

  test('is a repository the agent can work in, apart from the person', async () => {
    const repository = makeRepository(area, 'r', { a: 'a' });
    await create(repository);
    const before = digestTree(repository);
    writeFiles(target, { a: 'changed', b: 'new' });
    area.git(target, 'stash', '-u');
    area.git(target, 'stash', 'pop');
    area.git(target, 'add', '-A');
    area.git(target, 'commit', '-qm', 'of the agent');
    area.git(target, 'gc', '-q', '--prune=now');
    expect(area.git(target, 'log', '--format=%s %an')).toBe('of the agent Ada\nfirst Ada');
    expect(digestTree(repository)).toBe(before);
  });

  test('still works when the person rewrites history and prunes, and when the repository is gone', async () => {
    const repository = makeRepository(area, 'r', { a: 'a' });
    writeFiles(repository, { a: 'second' });
    area.git(repository, 'commit', '-qam', 'second');
    await create(repository);
    area.git(repository, 'reset', '-q', '--hard', 'HEAD^');
    area.git(repository, 'commit', '-q', '--amend', '-m', 'rewritten');
    area.git(repository, 'reflog', 'expire', '--expire=now', '--all');
    area.git(repository, 'gc', '-q', '--prune=now', '--aggressive');
    expect(area.git(target, 'fsck', '--full')).toBe('');
    rmSync(repository, { recursive: true });
    expect(area.git(target, 'show', 'HEAD:a')).toBe('second');
    expect(area.git(target, 'fsck', '--full')).toBe('');
    expect(status(target)).toBe('');
  });

  test('keeps a detached HEAD, and commits nothing but it reaches', async () => {
    const repository = makeRepository(area, 'r', { a: 'a' });
    area.git(repository, 'checkout', '-q', '--detach');
    area.git(repository, 'commit', '-q', '--allow-empty', '-m', 'loose');
    const opened = await create(repository);
    expect(opened.branch).toBeNull();
    expect(readFileSync(join(target, '.git', 'HEAD'), 'utf8')).toBe(`${opened.base}\n`);
    expect(area.git(target, 'log', '-1', '--format=%s')).toBe('loose');
  });

  test('keeps an unborn branch', async () => {
    area.git(area.folder, 'init', '-q', '-b', 'trunk', 'r');
    writeFiles(join(area.folder, 'r'), { a: 'a' });
    const opened = await create(join(area.folder, 'r'));
    expect(opened).toMatchObject({ base: null, branch: 'trunk', dirty: { untracked: ['a'], carried: false } });
    expect(readdirSync(target)).toEqual(['.git']);
    area.git(target, 'commit', '-q', '--allow-empty', '-m', 'now born');
    expect(area.git(target, 'log', '--format=%D')).toBe('HEAD -> trunk');
  });

  test('of a linked worktree has its HEAD, and a .git folder of its own', async () => {
    const repository = makeRepository(area, 'r', { a: 'a' });
    area.git(repository, 'worktree', 'add', '-q', '-b', 'other', '../linked');
    writeFiles(join(area.folder, 'linked'), { a: 'linked' });
    area.git(join(area.folder, 'linked'), 'commit', '-qam', 'linked');
    const opened = await create(join(area.folder, 'linked'));
    expect(opened.branch).toBe('other');
    expect(lstatSync(join(target, '.git')).isDirectory()).toBe(true);
    expect(readFileSync(join(target, 'a'), 'utf8')).toBe('linked');
    expect(area.git(target, 'branch', '--format=%(refname:short)')).toBe('main\nother');
  });

  test('of a shallow clone is shallow, and of a sha256 repository sha256', async () => {
    const origin = makeRepository(area, 'origin', { a: 'a' });
    area.git(origin, 'commit', '-q', '--allow-empty', '-m', 'second');
    area.git(area.folder, 'clone', '-q', '--depth', '1', `file://${origin}`, 'r');
    await create(join(area.folder, 'r'));
    expect(area.git(target, 'log', '--format=%s')).toBe('second');
    expect(area.git(target, 'fsck', '--full')).toBe('');
    area.git(area.folder, 'init', '-q', '--object-format=sha256', 'r256');
    area.git(join(area.folder, 'r256'), 'commit', '-q', '--allow-empty', '-m', 'x');
    const second = join(state, 'runs', 'one', 'second');
    await create(join(area.folder, 'r256'), { target: second });
    expect(area.git(second, 'log', '--format=%s')).toBe('x');
  });

  test('stays sparse by the same patterns', async () => {
    const repository = makeRepository(area, 'r', { 'in/a': 'a', 'out/b': 'b', top: 't' });
    area.git(repository, 'sparse-checkout', 'set', 'in');
    await create(repository);
    expect(readTree(target)).toEqual(readTree(repository));
    expect(existsSync(join(target, 'out'))).toBe(false);
    expect(status(target)).toBe('');
  });
});

describe('the config of a checkout', () => {
  test('has remotes without credentials, branch tracking and identity, and nothing else of the person', async () => {
    const repository = makeRepository(area, 'r', { a: 'a' });
    area.git(repository, 'config', 'remote.origin.url', 'https://user:secret@host.example/x.git?token=secret');
    area.git(repository, 'config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*');
    area.git(repository, 'config', 'remote.by ssh.url', 'git@host.example:x/y.git');
    area.git(repository, 'config', 'remote.origin.proxy', 'http://user:secret@proxy');
    area.git(repository, 'config', 'branch.main.remote', 'origin');
    area.git(repository, 'config', 'branch.main.merge', 'refs/heads/main');
    area.git(repository, 'config', 'http.extraHeader', 'Authorization: secret');
    area.git(repository, 'config', 'user.name', 'A "quoted" \\ name; # [x]\n[core]\n\thooksPath = /x');
    await create(repository);
    const text = readFileSync(join(target, '.git', 'config'), 'utf8');
    expect(text).not.toContain('secret');
    const get = (key: string) => area.git(target, 'config', '--local', '--get', key);
    expect(get('remote.origin.url')).toBe('https://host.example/x.git');
    expect(get('remote.by ssh.url')).toBe('git@host.example:x/y.git');
    expect(get('branch.main.merge')).toBe('refs/heads/main');
    expect(get('user.name')).toBe('A "quoted" \\ name; # [x]\n[core]\n\thooksPath = /x');
    expect(() => get('core.hooksPath')).toThrow();
    expect(statSync(join(target, '.git', 'config')).mode & 0o777).toBe(0o600);
  });

  test('keeps the line ends the person has chosen', async () => {
    const repository = makeRepository(area, 'r', { 'unix.txt': 'a\nb\n', '.gitattributes': '*.txt text\n*.i ident\n' });
    area.git(repository, 'config', 'core.autocrlf', 'true');
    rmSync(join(repository, 'unix.txt'));
    area.git(repository, 'checkout', '-q', 'unix.txt');
    await create(repository);
    expect(readFileSync(join(target, 'unix.txt'), 'latin1')).toBe('a\r\nb\r\n');
    expect(status(target)).toBe('');
  });
});

describe('a hostile repository', () => {
  const hooks = ['post-checkout', 'post-index-change', 'reference-transaction', 'pre-auto-gc', 'fsmonitor-watchman'];

  test('runs no program of its config, hooks or attributes', async () => {
    const repository = makeRepository(area, 'r', { a: 'a', 'f.lfs': 'pointer' });
    writeFiles(repository, { '.gitattributes': '*.lfs filter=x diff=x merge=x\n* filter=y\n', b: 'b' });
    area.git(repository, 'add', '-A');
    area.git(repository, 'commit', '-qm', 'second');
    const canary = makeCanary(area);
    const settings = [
      'core.fsmonitor',
      'core.sshCommand',
      'core.pager',
      'core.editor',
      'diff.external',
      'diff.x.textconv',
      'diff.x.command',
      'filter.x.clean',
      'filter.x.smudge',
      'filter.x.process',
      'filter.y.clean',
      'filter.y.smudge',
      'gpg.program',
      'credential.helper',
      'merge.x.driver',
      'core.alternateRefsCommand',
      'remote.origin.uploadpack',
      'core.askPass',
      'uploadpack.packObjectsHook',
      'sequence.editor',
      'trailer.x.command',
      'core.gitProxy',
      'interactive.diffFilter',
    ];
    for (const key of settings) area.git(repository, 'config', key, canary.script);
    for (const alias of ['status', 'ls-files', 'rev-parse'])
      area.git(repository, 'config', `alias.${alias}`, `!${canary.script}`);
    area.git(repository, 'config', 'filter.x.required', 'true');
    area.git(repository, 'config', 'core.hooksPath', join(repository, '.git', 'hooks'));
    area.git(repository, 'config', 'core.worktree', '/');
    area.git(repository, 'config', 'extensions.worktreeConfig', 'true');
    writeFileSync(join(repository, '.git', 'config.worktree'), `[core]\n\tfsmonitor = ${canary.script}\n`);
    writeFileSync(join(repository, '.git', 'info', 'attributes'), '* filter=x\n');
    for (const hook of hooks) symlinkSync(canary.script, join(repository, '.git', 'hooks', hook));
    writeFiles(repository, { a: 'changed', 'f.lfs': 'changed too', new: 'n' });
    const traces = canary.traces().length;
    const before = digestTree(repository);
    const opened = await create(repository);
    expect(opened.dirty).toMatchObject({ unstaged: ['a', 'f.lfs'], untracked: ['new'] });
    await create(repository, { target: join(state, 'runs', 'one', 'dirty'), allowDirty: true });
    expect(canary.traces().length).toBe(traces);
    expect(digestTree(repository)).toBe(before);
    expect(existsSync(join(target, '.git', 'hooks'))).toBe(false);
    expect(readFileSync(join(target, 'f.lfs'), 'utf8')).toBe('pointer');
    expect(opened.leftOut).toContainEqual({ path: 'f.lfs', reason: 'not_supported' });
    // The canary works: the person's own git runs it.
    area.git(repository, 'config', '--unset', 'core.worktree');
    area.git(repository, '-c', 'filter.x.required=false', 'status');
    expect(canary.traces().length).toBeGreaterThan(traces);
  });

  test('cannot make us read a file of the person into the checkout', async () => {
    const repository = makeRepository(area, 'r', { a: 'a' });
    writeFiles(area.home, { key: 'PRIVATE KEY' });
    area.git(repository, 'config', 'core.excludesFile', join(area.home, 'key'));
    area.git(repository, 'config', 'core.attributesFile', join(area.home, 'key'));
    for (const file of ['exclude', 'attributes', 'sparse-checkout']) {
      rmSync(join(repository, '.git', 'info', file), { force: true });
      symlinkSync(join(area.home, 'key'), join(repository, '.git', 'info', file));
    }
    area.git(repository, 'config', 'core.sparseCheckout', 'true');
    await create(repository, { allowDirty: true });
    expect(spawnSync('grep', ['-rl', 'PRIVATE', state], { encoding: 'utf8' })).toMatchObject({ status: 1, stdout: '' });
  });

  test('gains nothing by git variables in our environment', async () => {
    const repository = makeRepository(area, 'r', { a: 'a' });
    const other = makeRepository(area, 'other', { b: 'b' });
    const before = [digestTree(repository), digestTree(other)];
    const junk = [
      'GIT_DIR',
      'GIT_INDEX_FILE',
      'GIT_WORK_TREE',
      'GIT_OBJECT_DIRECTORY',
      'GIT_ALTERNATE_OBJECT_DIRECTORIES',
      'GIT_CONFIG',
    ];
    for (const name of junk) process.env[name] = join(other, '.git');
    Object.assign(process.env, { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.bare', GIT_CONFIG_VALUE_0: 'true' });
    try {
      await create(repository);
    } finally {
      for (const name of [...junk, 'GIT_CONFIG_COUNT', 'GIT_CONFIG_KEY_0', 'GIT_CONFIG_VALUE_0'])
        delete process.env[name];
    }
    expect(readTree(target)).toEqual(readTree(repository));
    expect([digestTree(repository), digestTree(other)]).toEqual(before);
  });
});

describe('when it cannot be made', () => {
  test('nothing is left, and what is at the target is not touched', async () => {
    const repository = makeRepository(area, 'r', { a: 'a' });
    mkdirSync(target);
    writeFiles(target, { mine: 'x' });
    await expect(tryCreate(repository)).rejects.toMatchObject({ code: 'workspace_failed' });
    expect(readTree(target)).toEqual({ mine: expect.stringContaining('x') });
    rmSync(target, { recursive: true });
    const controller = new AbortController();
    controller.abort();
    await expect(tryCreate(repository, { signal: controller.signal })).rejects.toMatchObject({ code: 'interrupted' });
    expect(readdirSync(join(state, 'runs', 'one'))).toEqual([]);
  });

  test('what a killed process left is swept by the next try', async () => {
    const repository = makeRepository(area, 'r', { a: 'a' });
    writeFiles(join(state, 'runs', 'one', '.workspace.staging'), { 'workspace/half': 'x' });
    await create(repository);
    expect(readdirSync(join(state, 'runs', 'one'))).toEqual(['workspace']);
    expect(existsSync(join(target, 'half'))).toBe(false);
  });

  test('a repository that is gone is refused', async () => {
    const repository = makeRepository(area, 'r', { a: 'a' });
    const project = await open(repository);
    rmSync(repository, { recursive: true });
    const answer = await createCheckout({ project, target, allowDirty: false, captureIgnored: true });
    expect(answer).toMatchObject({ code: 'no_workspace' });
  });
});

test.each(['a b\'c"d$(touch pwn)é;&*', 'ends in blank ', 'new\nline', 'back\\slash'])(
  'works below a folder named %j',
  async (name) => {
    const odd = makeScratchArea(name);
    try {
      const repository = makeRepository(odd, 'r', { a: 'a' });
      const project = await openProject({ stateFolder: join(odd.folder, 'state'), cwd: repository });
      if (project === null || isRefusal(project)) throw new Error('no project');
      const place = join(odd.folder, 'made');
      const opened = await createCheckout({ project, target: place, allowDirty: false, captureIgnored: true });
      expect(opened).toMatchObject({ branch: 'main' });
      expect(odd.git(place, 'fsck', '--full')).toBe('');
      expect(realpathSync(place)).toBe(place);
    } finally {
      odd.remove();
    }
  },
);
