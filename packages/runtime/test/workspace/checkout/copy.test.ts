import { existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { makeScratchArea, type ScratchArea, writeFiles } from '@ramet/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyEntries } from '../../../src/workspace/checkout/copy.ts';
import { stripCredentials } from '../../../src/workspace/checkout/url.ts';
import { type FoundEntry, walkTree } from '../../../src/workspace/checkout/walk.ts';

let area: ScratchArea;
beforeEach(() => {
  area = makeScratchArea();
});
afterEach(() => area.remove());

const entry = (path: string, more: Partial<FoundEntry> = {}): FoundEntry => {
  return { path: Buffer.from(path), kind: 'file', bytes: 1, mode: 0o644, mtimeMs: 1000, ...more };
};

function copy(entries: readonly FoundEntry[], existing: 'replace' | 'keep' = 'replace') {
  return copyEntries({ from: join(area.folder, 'from'), to: join(area.folder, 'to'), entries, existing });
}

test('goes on without what is gone, and says so', async () => {
  writeFiles(area.folder, { 'from/b': 'b', 'to/x': 'x' });
  const gone = entry('a');
  expect((await copy([gone, entry('b')])).unreadable).toEqual([gone]);
  expect(readdirSync(join(area.folder, 'to'))).toEqual(['b', 'x']);
});

test('takes no right to run as somebody else along', async () => {
  writeFiles(area.folder, { 'from/a': 'a', 'to/x': 'x' });
  const { chmodSync } = await import('node:fs');
  chmodSync(join(area.folder, 'from/a'), 0o4755);
  const entries: FoundEntry[] = [];
  const root = join(area.folder, 'from');
  for await (const found of walkTree({ root, start: Buffer.from('a'), enter: () => true })) entries.push(found);
  await copy(entries);
  expect(statSync(join(area.folder, 'to/a')).mode & 0o7777).toBe(0o755);
});

test('fills a folder that is read-only in the original, and leaves no probe behind', async () => {
  writeFiles(area.folder, { 'from/d/a': 'a', 'to/x': 'x' });
  await copy([entry('d', { kind: 'folder', mode: 0o555 }), entry('d/a')]);
  expect(readdirSync(join(area.folder, 'to/d'))).toEqual(['a']);
  expect(statSync(join(area.folder, 'to/d')).mode & 0o777).toBe(0o755);
});

test('a link in the way is replaced itself, or keeps its place; nothing is written through it', async () => {
  const { symlinkSync } = await import('node:fs');
  writeFiles(area.folder, { 'from/d/a': 'a', 'from/f': 'f', 'to/x': 'x', 'outside/keep': 'k' });
  symlinkSync('../outside', join(area.folder, 'to/d'));
  symlinkSync('../outside/made', join(area.folder, 'to/f'));
  await copy([entry('d/a'), entry('f')], 'keep');
  expect(readdirSync(join(area.folder, 'outside'))).toEqual(['keep']);
  await copy([entry('d/a'), entry('f')], 'replace');
  expect(readdirSync(join(area.folder, 'outside'))).toEqual(['keep']);
  expect(existsSync(join(area.folder, 'to/d/a'))).toBe(true);
  expect(statSync(join(area.folder, 'to/f')).isFile()).toBe(true);
});

test.each([
  ['https://token@host.example/x.git', 'https://host.example/x.git'],
  ['https://user:p%40ss@host.example:8443/x?private_token=t#f', 'https://host.example:8443/x'],
  ['https://user:pa/ss@host.example/x', 'https://host.example/x'],
  ['https://host.example/@scope/x', 'https://host.example/@scope/x'],
  ['HTTP://user@host.example', 'HTTP://host.example'],
  ['ssh://git:secret@host.example:22/x', 'ssh://git@host.example:22/x'],
  ['codecommit::https://user:secret@host.example/x', 'codecommit::https://host.example/x'],
  ['git@host.example:x/y.git', 'git@host.example:x/y.git'],
  ['/a path/with@sign', '/a path/with@sign'],
  ['../relative', '../relative'],
  ['file:///a/b', 'file:///a/b'],
])('stripCredentials makes %j %j', (url, stripped) => {
  expect(stripCredentials(url)).toBe(stripped);
});

test('brings nothing from where a name leads after it was listed', async () => {
  writeFiles(area.folder, { 'outside/f': 'secret', 'outside/deep/f': 'secret', 'from/ok': 'x', 'to/x': 'x' });
  const outside = join(area.folder, 'outside');
  symlinkSync(join(outside, 'f'), join(area.folder, 'from/file'));
  symlinkSync(outside, join(area.folder, 'from/folder'));
  symlinkSync('.', join(area.folder, 'from/round'));
  symlinkSync('secret-text', join(outside, 'l'));
  const swapped = [entry('file'), entry('folder/f'), entry('folder/deep/f'), entry('folder/l', { kind: 'link' })];
  const { unreadable } = await copy([...swapped, entry('round/ok'), entry('ok')]);
  expect(unreadable.map(({ path }) => path.toString())).toEqual([
    ...['file', 'folder/f', 'folder/deep/f', 'folder/l', 'round/ok'],
  ]);
  expect(readFileSync(join(area.folder, 'to/ok'), 'utf8')).toBe('x');
  for (const name of ['file', 'folder/f', 'folder/deep/f', 'folder/l'])
    expect(existsSync(join(area.folder, 'to', name)), name).toBe(false);
});
