import { type ChildProcess, spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';

const CALLED = `require('node:fs').appendFileSync(process.env.CALLS, require('node:path').basename(process.argv[1]) + ' ' + process.argv.slice(2).join(' ') + '\\n');`;
const FAKE_NPM = `#!${process.execPath}
${CALLED}
if (process.env.NPM_FAILS) process.exit(7);
const fs = require('node:fs');
fs.rmSync('node_modules', { recursive: true, force: true });
fs.mkdirSync('node_modules/.bin', { recursive: true });
fs.symlinkSync(process.execPath, 'node_modules/.bin/node');`;
const FAKE_APT = `#!${process.execPath}
${CALLED}
const { APT_LACKS } = process.env;
if (APT_LACKS && process.argv.includes(APT_LACKS)) process.exit(100);
const folder = require('node:path').dirname(process.argv[1]);
for (const tool of ['jq', 'chromium']) {
  if (process.argv.includes(tool)) require('node:fs').symlinkSync(process.execPath, folder + '/' + tool);
}`;
const FAKE_BUILD = `import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { BUILD_STAMP, digestOfBuildInputs } from './inputs.mjs';
appendFileSync(process.env.CALLS ?? '', 'build\\n');
if (process.env.BUILD_FAILS) process.exit(1);
mkdirSync('packages/cli/dist', { recursive: true });
writeFileSync('packages/cli/dist/main.mjs', '');
writeFileSync(BUILD_STAMP, digestOfBuildInputs('.'));`;

let clone: string;

beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'setup-'));
  for (const folder of ['scripts', 'packages/cli/src', 'path']) mkdirSync(join(clone, folder), { recursive: true });
  for (const name of ['setup.mjs', 'inputs.mjs'])
    copyFileSync(join(import.meta.dirname, name), join(clone, 'scripts', name));
  write('scripts/build.ts', FAKE_BUILD);
  write('package-lock.json', '1');
  write('packages/cli/package.json', '{}');
  write('packages/cli/src/main.ts', '');
  write('path/npm', FAKE_NPM);
  for (const tool of ['bwrap', 'rg', 'jq', 'git', 'chromium']) symlinkSync(process.execPath, join(clone, 'path', tool));
});

function write(path: string, text: string): void {
  writeFileSync(join(clone, path), text, { mode: 0o755 });
}

function start(env: Readonly<Record<string, string>> = {}): ChildProcess {
  const settings = { PATH: join(clone, 'path'), CALLS: join(clone, 'calls'), ...env };
  return spawn(process.execPath, [join(clone, 'scripts/setup.mjs')], { env: settings });
}

/** The set-up's end: exit status, stderr, and what it called since then, each by its name and last word. */
async function waitForEnd(child: ChildProcess) {
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const status = await new Promise((resolve) => child.on('close', resolve));
  const calls = existsSync(join(clone, 'calls'))
    ? readFileSync(join(clone, 'calls'), 'utf8').trimEnd().split('\n')
    : [];
  rmSync(join(clone, 'calls'), { force: true });
  return { status, stderr, calls: calls.map((call) => call.replace(/ .*?(\w+)?$/, ' $1')) };
}

const setUp = (env?: Readonly<Record<string, string>>) => waitForEnd(start(env));

test('installs and builds a new clone, then does nothing', async () => {
  expect(await setUp()).toMatchObject({ status: 0, calls: ['npm error', 'build'] });
  expect(await setUp()).toEqual({ status: 0, stderr: '', calls: [] });
});

test('installs again when the lockfile is another one or node_modules is gone', async () => {
  await setUp();
  write('package-lock.json', '2');
  expect((await setUp()).calls).toEqual(['npm error', 'build']);
  rmSync(join(clone, 'node_modules'), { recursive: true });
  expect((await setUp()).calls).toEqual(['npm error']);
});

test('builds again when a source changed or the build is gone', async () => {
  await setUp();
  write('packages/cli/src/other.ts', '');
  expect((await setUp()).calls).toEqual(['build']);
  rmSync(join(clone, 'packages/cli/dist/main.mjs'));
  expect((await setUp()).calls).toEqual(['build']);
  expect((await setUp()).calls).toEqual([]);
});

test('ends with one line when the installation or the build fails, and tries again', async () => {
  const npm = await setUp({ NPM_FAILS: '1' });
  expect(npm).toMatchObject({ status: 1, stderr: expect.stringMatching(/\nsetup: npm ci failed \(exit 7\)\n$/) });
  const build = await setUp({ BUILD_FAILS: '1' });
  expect(build).toMatchObject({ status: 1, calls: ['npm error', 'build'] });
  expect(build.stderr).toMatch(/\nsetup: the build \(scripts\/build\.ts\) failed \(exit 1\)\n$/);
  expect(await setUp()).toMatchObject({ status: 0, calls: ['build'] });
});

test('says which system tools are missing, and goes on', async (context) => {
  context.skip(process.platform !== 'linux', 'only Linux needs these tools');
  await setUp();
  rmSync(join(clone, 'path/jq'));
  rmSync(join(clone, 'path/rg'));
  expect(await setUp({ RAMET_SETUP_NO_APT: '1' })).toEqual({
    status: 0,
    stderr: 'setup: not installed: ripgrep jq (RAMET_SETUP_NO_APT=1); tests that need them are skipped\n',
    calls: [],
  });
  expect((await setUp()).stderr).toMatch(/^setup: not installed: ripgrep jq \(no apt here\); .*\n$/);
});

test('installs missing system tools with apt, and goes on when that fails', async (context) => {
  const canUseApt = process.getuid?.() === 0 && existsSync('/etc/debian_version');
  context.skip(!canUseApt, 'needs root on Debian');
  await setUp();
  rmSync(join(clone, 'path/jq'));
  write('path/apt-get', FAKE_APT);
  const failed = await setUp({ APT_LACKS: 'jq' });
  expect(failed).toMatchObject({ status: 0, calls: ['apt-get update', 'apt-get jq'] });
  expect(failed.stderr).toContain('setup: not installed: jq (apt-get failed); tests that need them are skipped\n');
  expect(await setUp()).toMatchObject({ status: 0, stderr: 'setup: installing jq (apt-get)\n' });
  expect(await setUp()).toEqual({ status: 0, stderr: '', calls: [] });
});

test('installs the other tools where there is no package of a browser', async (context) => {
  const canUseApt = process.getuid?.() === 0 && existsSync('/etc/debian_version');
  context.skip(!canUseApt, 'needs root on Debian');
  await setUp();
  for (const tool of ['jq', 'chromium']) rmSync(join(clone, 'path', tool));
  write('path/apt-get', FAKE_APT);
  const lacking = await setUp({ APT_LACKS: 'chromium' });
  expect(lacking.stderr).toBe(
    'setup: installing jq chromium fonts-dejavu-core (apt-get)\n' +
      'setup: not installed: chromium fonts-dejavu-core (apt-get failed); tests that need them are skipped\n',
  );
  expect(lacking.calls).toEqual(['apt-get update', 'apt-get jq', 'apt-get core']);
  expect((await setUp()).stderr).toBe('setup: installing chromium fonts-dejavu-core (apt-get)\n');
  expect(await setUp()).toEqual({ status: 0, stderr: '', calls: [] });
});

test('never works twice at the same time in one clone', async (context) => {
  context.skip(process.platform !== 'linux', 'guarded on Linux only');
  const ends = await Promise.all([start(), start(), start()].map(waitForEnd));
  expect(ends.map((end) => end.status)).toEqual([0, 0, 0]);
  expect(ends.flatMap((end) => end.calls)).toEqual(['npm error', 'build']);
});
