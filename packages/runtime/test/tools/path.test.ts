import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { array, assert, constantFrom, property } from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { resolvePath } from '../../src/tools/index.ts';
import { type Bench, makeBench } from './helpers.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await makeBench();
  bench.put('src/a.txt', 'a');
  mkdirSync(join(bench.workspace, 'sub'));
});
afterEach(() => bench.remove());

const resolve = (path: string, more: { cwd?: string; guestPath?: string } = {}) =>
  resolvePath({ workspace: bench.workspace, guestPath: '/work', cwd: '', path, ...more });
const link = (target: string | Buffer, name: string) => symlinkSync(target, join(bench.workspace, name));

/** What a refusal says; fails when it is none. */
function reasonOf(path: string, more: { cwd?: string } = {}): string {
  const resolved = resolve(path, more);
  return resolved.kind === 'refused' ? resolved.reason : expect.unreachable(`${path} is ${resolved.kind}`);
}

describe('paths in the workspace', () => {
  test.each([
    ['src/a.txt', ''],
    ['./src//./a.txt', ''],
    ['/work/src/a.txt', ''],
    ['//work///src/a.txt', ''],
    ['a.txt', 'src'],
    ['../src/a.txt', 'sub'],
    ['sub/../src/a.txt', ''],
    ['/work/sub/../src/a.txt', 'sub'],
  ])('%j from %j is src/a.txt', (path, cwd) => {
    expect(resolve(path, { cwd })).toMatchObject({
      kind: 'found',
      relative: 'src/a.txt',
      hostPath: join(bench.workspace, 'src/a.txt'),
    });
  });

  test('the workspace itself is found', () => {
    for (const path of ['.', '/work', '/work/', 'sub/..'])
      expect(resolve(path)).toMatchObject({ kind: 'found', relative: '' });
  });

  test('what is not there yet is missing, with the path it would have', () => {
    expect(resolve('new/deep/file')).toMatchObject({ kind: 'missing', relative: 'new/deep/file' });
  });

  test('relative links and absolute ones below /work are followed within it', () => {
    link('src/a.txt', 'one');
    link('/work/src', 'two');
    link('../one', 'sub/three');
    link('/work/two/a.txt', 'sub/four');
    for (const path of ['one', 'two/a.txt', 'sub/three', 'sub/four'])
      expect(resolve(path)).toMatchObject({ kind: 'found', relative: 'src/a.txt' });
  });

  test('.. after a link means the folder above its target', () => {
    mkdirSync(join(bench.workspace, 'x/y'), { recursive: true });
    link('x/y', 'deep');
    expect(resolve('deep/../../src/a.txt')).toMatchObject({ kind: 'found', relative: 'src/a.txt' });
  });

  test('a link to what is not there is missing at its target', () => {
    link('src/new.txt', 'dangling');
    expect(resolve('dangling')).toMatchObject({ kind: 'missing', relative: 'src/new.txt' });
  });

  test('odd names are names', () => {
    for (const name of ['a\nb', ' ', '-rf', 'é', '\u001b[31m', '*', '$(x)', 'a\\b', '...', '~']) {
      writeFileSync(join(bench.workspace, name), '');
      expect(resolve(name)).toMatchObject({ kind: 'found', relative: name });
    }
  });
});

describe('ways out are refused', () => {
  test.each([
    '..',
    '../x',
    '/work/..',
    '/work/../etc/passwd',
    'src/../../x',
    '/etc/passwd',
    '/',
    '/workshop/x',
    '/proc/self/root/etc/passwd',
    '/tmp/x',
  ])('%j', (path) => {
    expect(reasonOf(path)).toContain('leads out of the workspace');
  });

  test.each([
    ['/etc', 'l/passwd'],
    ['/etc/passwd', 'l'],
    ['/proc/self/root', 'l/etc/passwd'],
    ['/proc/self/cwd', 'l'],
    ['../../..', 'l/etc'],
    ['sub/../../x', 'l'],
    ['/work/../etc', 'l'],
    ['/', 'l/etc/passwd'],
    ['.//..//..', 'l'],
  ])('a link to %j', (target, path) => {
    link(target, 'l');
    expect(reasonOf(path)).toContain('leads out of the workspace');
  });

  test('a chain of links whose last one leads out', () => {
    link('b', 'a');
    link('sub/c', 'b');
    link('/work/d', 'sub/c');
    link('/etc', 'd');
    expect(reasonOf('a/passwd')).toContain('leads out of the workspace');
  });

  test('whether something exists outside does not show', () => {
    link('/etc/passwd', 'there');
    link('/etc/no-such-file', 'not-there');
    expect(reasonOf('there').replace('there', 'X')).toBe(reasonOf('not-there').replace('not-there', 'X'));
  });

  test('loops of links end', () => {
    link('loop2', 'loop1');
    link('loop1', 'loop2');
    link('self/x', 'self');
    for (const path of ['loop1', 'loop2/x', 'self']) expect(reasonOf(path)).toContain('too many symbolic links');
  });

  test('a NUL, an empty path, a name of 300 bytes, a file used as a folder, .. from nowhere', () => {
    expect(reasonOf('a\0b')).toContain('NUL');
    expect(reasonOf('')).toContain('empty');
    expect(reasonOf('n'.repeat(300))).toContain('too long');
    expect(reasonOf(`new/../${'n'.repeat(300)}`)).toContain('does not exist');
    expect(reasonOf('src/a.txt/b')).toContain('is no folder');
    expect(reasonOf('src/a.txt/..')).toContain('is no folder');
  });

  test('a link whose target is not UTF-8', () => {
    link(Buffer.from([0x66, 0xff]), 'bytes');
    expect(reasonOf('bytes')).toContain('not UTF-8');
  });
});

describe('paths into other runs', () => {
  test('are named as such: absolute, by .., by a link', () => {
    link(join(bench.other, 'secret.txt'), 'absolute');
    link('../../run-b/workspace', 'relative');
    for (const path of [
      join(bench.other, 'secret.txt'),
      '../../run-b/workspace/secret.txt',
      'absolute',
      'relative/secret.txt',
    ]) {
      expect(reasonOf(path)).toContain('belongs to another session');
    }
  });

  test('the own run, outside its workspace, is no other session', () => {
    expect(reasonOf('../log/000000000000.jsonl')).toContain('leads out of the workspace');
    expect(reasonOf(join(bench.workspace, 'src/a.txt'))).toContain('leads out of the workspace');
  });

  test('a workspace elsewhere knows the folder of runs when told', () => {
    const request = {
      workspace: join(bench.workspace, 'src'),
      guestPath: '/work',
      cwd: '',
      path: join(bench.other, 'x'),
      runsFolder: join(bench.folder, 'runs'),
    };
    expect(resolvePath(request)).toMatchObject({ kind: 'refused', reason: expect.stringContaining('another session') });
  });
});

test('no path of any such components, with any such links around, resolves outside', () => {
  link('..', 'up');
  link('/', 'top');
  link('/work/sub', 'in');
  link('../sub/../..', 'sub/out');
  link(bench.other, 'other');
  const component = constantFrom(
    '..',
    '.',
    '',
    'src',
    'sub',
    'up',
    'top',
    'in',
    'out',
    'other',
    'a.txt',
    'work',
    'new',
  );
  assert(
    property(array(component, { maxLength: 8 }), constantFrom('', '/', '/work/'), (components, start) => {
      const resolved = resolve(start + components.join('/'), { cwd: 'sub' });
      if (resolved.kind === 'refused') return;
      expect(resolved.hostPath === bench.workspace || resolved.hostPath.startsWith(`${bench.workspace}/`)).toBe(true);
      expect(resolved.relative.split('/')).not.toContain('..');
      if (resolved.kind === 'found') expect(resolved.stat.isSymbolicLink()).toBe(false);
    }),
    { numRuns: 500 },
  );
});
