import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Chunks of the command, and files of the browser interface with what is compressed of them. */
const EXPECTED =
  /^package\/dist\/(?:[\w-]+\.mjs|web\/(?:assets\/[\w-]+\.(?:js|css)|index\.html|icon\.svg)(?:\.(?:br|gz))?)$/;

test('the packed command holds the bin, the build and its licences, and runs without the repository', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pack-'));
  // Without scripts: the prepack script would replace the build under other tests.
  const pack = ['pack', '--ignore-scripts', '--json', '-w', 'packages/cli', '--pack-destination', folder];
  execFileSync('npm', pack, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  execFileSync('tar', ['-xf', listTarball(folder), '-C', folder]);
  const files = execFileSync('find', ['package', '-type', 'f'], { cwd: folder, encoding: 'utf8' }).trim().split('\n');
  const unexpected = files.filter((file) => !EXPECTED.test(file)).sort();
  expect(files).toContain('package/dist/web/index.html');
  expect(unexpected).toEqual([
    'package/LICENSE',
    'package/README.md',
    'package/bin/ramet.mjs',
    'package/dist/THIRD-PARTY.txt',
    'package/package.json',
  ]);
  const native = 'node_modules/fs-native-extensions';
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(root, native), join(folder, native));
  const run = spawnSync(process.execPath, [join(folder, 'package/bin/ramet.mjs'), '--help'], { encoding: 'utf8' });
  expect(run).toMatchObject({ status: 0, stderr: '' });
});

/** Of scripts, compressed, before the first page is loaded. */
const FIRST_LOAD_BYTES = 200_000;

test('what a browser loads of scripts before its first page is small, and of the server alone', () => {
  const web = join(root, 'packages/cli/dist/web');
  const page = readFileSync(join(web, 'index.html'), 'utf8');
  const scripts = [...page.matchAll(/(?:src|href)="([^"]+\.js)"/g)].map(([, path = '']) => path);
  const sizes = scripts.map((path) => gzipSync(readFileSync(join(web, path))).length);
  expect(scripts.length).toBeGreaterThan(0);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(FIRST_LOAD_BYTES);
  expect(page).not.toMatch(/(?:src|href)="(?!\/)/);
});

function listTarball(folder: string): string {
  return execFileSync('find', [folder, '-name', '*.tgz'], { encoding: 'utf8' }).trim();
}
