import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const bin = join(import.meta.dirname, '../bin/ramet.mjs');

function installBin(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bin-'));
  mkdirSync(join(folder, 'bin'));
  copyFileSync(bin, join(folder, 'bin/ramet.mjs'));
  return folder;
}

function runBin(folder: string, nodeArgs: readonly string[] = []) {
  const args = [...nodeArgs, join(folder, 'bin/ramet.mjs'), 'one', 'two'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('runs the build with its arguments', () => {
  const folder = installBin();
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'dist/main.mjs'), `console.log(process.argv.slice(2).join('+'));`);
  expect(runBin(folder)).toEqual({ status: 0, stdout: 'one+two\n', stderr: '' });
});

test('says in one line that the build is missing', () => {
  const { status, stdout, stderr } = runBin(installBin());
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^ramet: the build is missing; .*\n$/);
});

test('says in one line which Node it needs', () => {
  const oldNode = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });`;
  const { status, stdout, stderr } = runBin(installBin(), [
    '--import',
    `data:text/javascript,${encodeURIComponent(oldNode)}`,
  ]);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^ramet: needs Node 24 or newer, .*\n$/);
});
