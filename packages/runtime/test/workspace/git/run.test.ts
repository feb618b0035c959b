import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Failure } from '@ramet/core/codes';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  configValue,
  git,
  isSupportedGit,
  parseGitVersion,
  readPersonConfig,
  renderName,
  splitNul,
  startGit,
} from '../../../src/workspace/git/index.ts';

let folder: string;
let repository: string;

function run(...args: string[]): string {
  return execFileSync('git', args, {
    cwd: repository,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: folder },
  });
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ramet-git-'));
  repository = join(folder, 'repository');
  mkdirSync(repository);
  run('init', '-q', '-b', 'main');
  writeFileSync(join(repository, 'a'), 'a');
  run('add', 'a');
  run('-c', 'user.name=n', '-c', 'user.email=e', 'commit', '-qm', 'first');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const junk = [
  'GIT_DIR',
  'GIT_INDEX_FILE',
  'GIT_WORK_TREE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_CONFIG_PARAMETERS',
  'GIT_TRACE',
];
afterEach(() => {
  for (const name of junk) delete process.env[name];
});

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  return promise.then(
    () => expect.unreachable('it did not fail'),
    (error: Failure) => error,
  );
}

const gitDir = () => join(repository, '.git');

test('throws with verb, exit code and the last line git said', async () => {
  const failure = await failureOf(git({ gitDir: gitDir(), args: ['rev-parse', '--verify', 'nothing-here'] }));
  expect(failure.code).toBe('git_failed');
  expect(failure.message).toMatch(/git rev-parse in ".*" failed with exit code 128: fatal: Needed a single revision/);
});

test('tells a full disk from other failures, and an end by time, too', async () => {
  const full = await failureOf(git({ gitDir: gitDir(), args: ['archive', '--output=/dev/full', 'HEAD'] }));
  expect(full.code).toBe('disk_failed');
  expect(full.message).toMatch(/No space left on device; the disk is full: free some space and try again$/);
  const late = await failureOf(git({ gitDir: gitDir(), args: ['cat-file', '--batch'], stdin: never(), timeoutMs: 1 }));
  expect([late.code, late.data.timedOut]).toEqual(['git_failed', true]);
});

/** Input that does not end before the process that reads it. */
async function* never(): AsyncGenerator<Buffer> {
  await new Promise((resolve) => setTimeout(resolve, 100));
}

test('returns an exit code the caller expects', async () => {
  const outcome = await git({ gitDir: gitDir(), args: ['rev-parse', '-q', '--verify', 'none'], okExitCodes: [0, 1] });
  expect(outcome.exitCode).toBe(1);
});

test('never cuts an answer silently', async () => {
  const failure = await failureOf(git({ gitDir: gitDir(), args: ['cat-file', '-p', 'HEAD'], stdoutLimitBytes: 10 }));
  expect(failure.message).toContain('answered more than 10 bytes');
});

test('inherits no GIT_ variable', async () => {
  for (const name of junk) process.env[name] = '/junk';
  process.env.GIT_CONFIG_PARAMETERS = "'core.bare=true'";
  const { stdout } = await git({ cwd: repository, args: ['rev-parse', '--is-bare-repository', '--git-dir'] });
  expect(stdout.toString()).toBe('false\n.git\n');
});

test('runs no hook and no file system monitor of the repository', async () => {
  const canary = join(folder, 'canary');
  const script = join(folder, 'script');
  writeFileSync(script, `#!/bin/sh\ntouch ${canary}\n`);
  chmodSync(script, 0o755);
  run('config', 'core.fsmonitor', script);
  for (const hook of ['reference-transaction', 'post-index-change']) {
    writeFileSync(join(repository, '.git', 'hooks', hook), `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 });
  }
  await git({ gitDir: gitDir(), workTree: repository, args: ['status', '--porcelain'] });
  await git({ gitDir: gitDir(), args: ['update-ref', 'refs/heads/other', 'HEAD'] });
  expect(existsSync(canary)).toBe(false);
  run('status');
  expect(existsSync(canary)).toBe(true);
});

test('says that git is missing', async () => {
  const path = process.env.PATH;
  process.env.PATH = '/nonexistent';
  try {
    expect((await failureOf(git({ gitDir: gitDir(), args: ['version'] }))).code).toBe('git_missing');
  } finally {
    process.env.PATH = path;
  }
});

test('talks to a running git and checks its exit code', async () => {
  const cat = await startGit({ gitDir: gitDir(), args: ['cat-file', '--batch-check'] });
  cat.process.stdin.write('HEAD\n');
  const line = await new Promise<Buffer>((resolve) => cat.process.stdout.once('data', resolve));
  expect(line.toString()).toMatch(/^[0-9a-f]{40} commit \d+\n$/);
  await cat.finish();
  const broken = await startGit({ gitDir: join(folder, 'none'), cwd: folder, args: ['cat-file', '--batch-check'] });
  broken.process.stdout.resume();
  expect((await failureOf(broken.finish())).code).toBe('git_failed');
});

test('knows which versions of git are safe to run', () => {
  expect(parseGitVersion('git version 2.39.5 (Apple Git-154)')).toEqual([2, 39]);
  expect(parseGitVersion('hub 1')).toBeNull();
  const supported = ['1.99', '2.31', '2.32', '3.0'].map((version) => parseGitVersion(`git version ${version}`));
  expect(supported.map((version) => version !== null && isSupportedGit(version))).toEqual([false, false, true, true]);
});

test('drops relative entries of PATH', async () => {
  const path = process.env.PATH;
  process.env.PATH = `.:${path}:relative:`;
  writeFileSync(join(repository, 'git'), `#!/bin/sh\ntouch ${join(folder, 'fake')}\n`, { mode: 0o755 });
  try {
    await git({ gitDir: gitDir(), workTree: repository, args: ['status'] });
    await readPersonConfig(gitDir());
    expect(existsSync(join(folder, 'fake'))).toBe(false);
  } finally {
    process.env.PATH = path;
    rmSync(join(repository, 'git'));
  }
});

test('splits at NUL bytes only', () => {
  expect(splitNul(Buffer.from('a\nb\0 c \0')).map(String)).toEqual(['a\nb', ' c ']);
  expect(splitNul(Buffer.alloc(0))).toEqual([]);
});

test('renders names so that no two look alike', () => {
  expect(renderName(Buffer.from('é b'))).toBe('é b');
  expect(renderName(Buffer.from([0x66, 0xff, 0x5c]))).toBe('f\\xff\\x5c');
  expect(renderName(Buffer.from('a\\xff\n'))).toBe('a\\x5cxff\\x0a');
});

test('reads the effective configuration as data', async () => {
  run('config', 'remote.Origin X.url', 'https://user@host/path');
  run('config', 'user.name', 'first');
  run('config', '--add', 'user.name', 'second');
  const config = await readPersonConfig(gitDir());
  expect(configValue(config, 'remote.Origin X.url')).toBe('https://user@host/path');
  expect(configValue(config, 'user.name')).toBe('second');
  expect(configValue(config, 'no.such')).toBeUndefined();
  expect(configValue(await readPersonConfig(gitDir(), 'person'), 'remote.Origin X.url')).toBeUndefined();
});
