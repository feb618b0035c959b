import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal } from '@ramet/core/codes';
import { digestTree, makeCanary, makeRepository, makeScratchArea, type ScratchArea, writeFiles } from '@ramet/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openProject, type SyncedBase, syncBase } from '../../../src/workspace/project/index.ts';
import type { Project } from '../../../src/workspace/types.ts';

let area: ScratchArea;
beforeEach(() => {
  area = makeScratchArea();
});
afterEach(() => area.remove());

async function open(cwd: string): Promise<Project> {
  const project = await openProject({ stateFolder: join(area.folder, 'state'), cwd });
  if (project === null || isRefusal(project)) throw new Error('no project');
  return project;
}

async function sync(project: Project): Promise<SyncedBase> {
  const synced = await syncBase({ project });
  if (isRefusal(synced)) throw new Error(synced.message);
  return synced;
}

function commit(repository: string, content: string): string {
  writeFiles(repository, { f: content });
  area.git(repository, 'add', 'f');
  area.git(repository, 'commit', '-qm', content);
  return area.git(repository, 'rev-parse', 'HEAD');
}

test('brings branches, tags, remote-tracking refs and a detached HEAD, and writes nothing of the person', async () => {
  const origin = makeRepository(area, 'origin', { a: 'a' });
  area.git(area.folder, 'clone', '-q', origin, 'r');
  const repository = join(area.folder, 'r');
  area.git(repository, 'branch', 'side');
  area.git(repository, 'tag', '-a', 'v1', '-m', 'annotated');
  area.git(repository, 'checkout', '-q', '--detach');
  const detached = commit(repository, 'detached');
  const before = digestTree(repository);
  const project = await open(repository);
  const synced = await sync(project);
  expect(synced.refs.head).toEqual({ ref: null, commit: detached });
  expect(synced.refs.refs.map(({ name }) => name)).toEqual([
    'refs/heads/main',
    'refs/heads/side',
    'refs/remotes/origin/HEAD',
    'refs/remotes/origin/main',
    'refs/tags/v1',
  ]);
  for (const id of [detached, area.git(repository, 'rev-parse', 'v1')]) {
    expect(area.git(project.baseGit, 'cat-file', '-t', id)).toMatch(/commit|tag/);
  }
  expect(area.git(project.baseGit, 'fsck', '--full', '--strict')).toBe('');
  expect(digestTree(repository)).toBe(before);
});

test('brings only what base.git lacks', async () => {
  const repository = makeRepository(area, 'r', { a: 'a'.repeat(1000) });
  const project = await open(repository);
  expect((await sync(project)).newTips).toBe(1);
  expect((await sync(project)).newTips).toBe(0);
  commit(repository, 'second');
  expect((await sync(project)).newTips).toBe(1);
  const packs = area.git(project.baseGit, 'count-objects', '-v');
  expect(packs).toContain('in-pack: 6');
  expect(packs).toContain('packs: 2');
  area.git(repository, 'branch', 'same-commit');
  area.git(repository, 'reset', '-q', '--hard', 'HEAD^');
  await sync(project);
  expect(area.git(project.baseGit, 'count-objects', '-v')).toContain('packs: 2');
});

test('keeps what the person rewrites and prunes', async () => {
  const repository = makeRepository(area, 'r', { a: 'a' });
  const lost = commit(repository, 'lost');
  const project = await open(repository);
  await sync(project);
  area.git(repository, 'reset', '-q', '--hard', 'HEAD^');
  area.git(repository, 'commit', '-q', '--amend', '-m', 'rewritten');
  area.git(repository, 'reflog', 'expire', '--expire=now', '--all');
  area.git(repository, 'gc', '-q', '--prune=now', '--aggressive');
  expect(() => area.git(repository, 'cat-file', '-e', lost)).toThrow();
  await sync(project);
  area.git(project.baseGit, 'gc', '-q', '--prune=now');
  expect(area.git(project.baseGit, 'log', '--format=%s', lost)).toBe('lost\nfirst');
  expect(area.git(project.baseGit, 'fsck', '--full')).toBe('');
});

test('an unborn repository has nothing to bring', async () => {
  area.git(area.folder, 'init', '-q', '-b', 'trunk', 'r');
  const synced = await sync(await open(join(area.folder, 'r')));
  expect(synced).toEqual({ refs: { refs: [], head: { ref: 'refs/heads/trunk', commit: null } }, newTips: 0 });
});

test('brings sha256 repositories', async () => {
  area.git(area.folder, 'init', '-q', '--object-format=sha256', 'r');
  const id = commit(join(area.folder, 'r'), 'x');
  const project = await open(join(area.folder, 'r'));
  await sync(project);
  expect(area.git(project.baseGit, 'cat-file', '-t', id)).toBe('commit');
});

test('brings a shallow clone with its boundary, which stays when the person deepens it', async () => {
  const origin = makeRepository(area, 'origin', { a: 'a' });
  const second = commit(origin, 'second');
  commit(origin, 'third');
  area.git(area.folder, 'clone', '-q', '--depth', '2', `file://${origin}`, 'r');
  const repository = join(area.folder, 'r');
  const project = await open(repository);
  await sync(project);
  expect(readFileSync(join(project.baseGit, 'shallow'), 'utf8')).toBe(`${second}\n`);
  expect(
    area.git(project.baseGit, 'log', '--format=%s', `refs/tips/${area.git(repository, 'rev-parse', 'HEAD')}`),
  ).toBe('third\nsecond');
  expect(area.git(project.baseGit, 'fsck', '--full')).toBe('');
  commit(origin, 'fourth');
  area.git(repository, 'pull', '-q', '--unshallow');
  await sync(project);
  expect(readFileSync(join(project.baseGit, 'shallow'), 'utf8')).toBe(`${second}\n`);
  expect(area.git(project.baseGit, 'log', '--format=%s', area.git(repository, 'rev-parse', 'HEAD'))).toBe(
    'fourth\nthird\nsecond',
  );
  expect(area.git(project.baseGit, 'fsck', '--full')).toBe('');
});

test('refuses a partial clone that lacks objects, fetches nothing and runs nothing', async () => {
  const origin = makeRepository(area, 'origin', { a: 'old' });
  commit(origin, 'one');
  commit(origin, 'two');
  area.git(origin, 'config', 'uploadpack.allowFilter', 'true');
  area.git(area.folder, 'clone', '-q', '--filter=blob:none', `file://${origin}`, 'r');
  const repository = join(area.folder, 'r');
  const canary = makeCanary(area);
  area.git(repository, 'config', 'remote.origin.uploadpack', canary.script);
  area.git(repository, 'config', 'protocol.file.allow', 'always');
  area.git(repository, 'config', 'protocol.ext.allow', 'always');
  const answer = await syncBase({ project: await open(repository) });
  expect(answer).toMatchObject({ kind: 'refusal', code: 'unsupported_repository', data: { reason: 'partial clone' } });
  area.git(repository, 'config', 'remote.origin.url', `ext::${canary.script}`);
  expect(isRefusal(await syncBase({ project: await open(repository) }))).toBe(true);
  expect(canary.traces()).toEqual([]);
});

test('reads through the alternates of the repository', async () => {
  const origin = makeRepository(area, 'origin', { a: 'a' });
  area.git(area.folder, 'clone', '-q', '--shared', origin, 'r');
  const project = await open(join(area.folder, 'r'));
  await sync(project);
  rmSync(origin, { recursive: true });
  expect(area.git(project.baseGit, 'fsck', '--full')).toBe('');
});

test('replacements and grafts of the person do not change what is brought', async () => {
  const repository = makeRepository(area, 'r', { a: 'a' });
  const first = area.git(repository, 'rev-parse', 'HEAD');
  commit(repository, 'second');
  const third = commit(repository, 'third');
  area.git(repository, 'replace', '--graft', third, first);
  const project = await open(repository);
  await sync(project);
  expect(area.git(project.baseGit, 'log', '--format=%s', third)).toBe('third\nsecond\nfirst');
});

test('says that an object is missing when the repository is damaged', async () => {
  const repository = makeRepository(area, 'r', { a: 'a' });
  const blob = area.git(repository, 'rev-parse', 'HEAD:a');
  rmSync(join(repository, '.git', 'objects', blob.slice(0, 2), blob.slice(2)));
  const project = await open(repository);
  await expect(syncBase({ project })).rejects.toMatchObject({ code: 'git_failed' });
  expect(area.git(project.baseGit, 'for-each-ref')).toBe('');
});

test('goes on after a transfer that was killed', async () => {
  const repository = makeRepository(area, 'r', { a: 'a' });
  const project = await open(repository);
  const pack = join(project.baseGit, 'objects', 'pack');
  writeFiles(pack, { tmp_pack_x: 'half' });
  await sync(project);
  expect(readdirSync(pack).some((name) => name.startsWith('tmp_'))).toBe(false);
  // Objects came, the tips were not written.
  rmSync(join(project.baseGit, 'packed-refs'));
  expect((await sync(project)).newTips).toBe(1);
  expect(readdirSync(pack).filter((name) => name.endsWith('.pack'))).toHaveLength(1);
});

test('several syncs at once bring everything once', async () => {
  const repository = makeRepository(area, 'r', { a: 'a' });
  const project = await open(repository);
  const synced = await Promise.all([1, 2, 3].map(() => sync(project)));
  expect(synced.map(({ newTips }) => newTips).sort()).toEqual([0, 0, 1]);
});

test('keeps what was brought when a ref is named as no text can name it', async () => {
  const repository = makeRepository(area, 'r', { a: 'a' });
  const id = area.git(repository, 'rev-parse', 'HEAD');
  const name = Buffer.concat([Buffer.from(join(repository, '.git/refs/heads/x')), Buffer.from([0xff])]);
  writeFileSync(name, `${id}\n`);
  const synced = await sync(await open(repository));
  expect(synced.refs.refs.map((ref) => ref.name)).toEqual(['refs/heads/main']);
});
