import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { builtinTools } from '../../src/tools/index.ts';
import { type Bench, errorOf, makeBench, textOf, tool } from './helpers.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await makeBench();
});
afterEach(() => bench.remove());

const run = (name: string, input: unknown, more: object = {}) => tool(name).run(input, { ...bench.context, ...more });
const recover = (name: string, input: unknown) =>
  tool(name).recover?.(input, bench.context) ?? expect.unreachable('it has none');
const read = (path: string) => readFileSync(join(bench.workspace, path), 'utf8');

const makeFifo = (path: string) => execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path]);

describe('every tool', () => {
  test('has a schema of its input, and is contained and of an effect as documented', () => {
    const shown = builtinTools().map(({ name, effect, inputSchema, contained }) => [
      name,
      effect,
      contained(bench.context),
      Object.keys(inputSchema.properties as object),
    ]);
    expect(shown).toEqual([
      ['read_file', 'read', true, ['path', 'offset', 'limit']],
      ['write_file', 'write', true, ['path', 'content']],
      ['edit_file', 'write', true, ['path', 'old', 'new']],
      ['list_files', 'read', true, ['path', 'depth']],
      ['search', 'read', true, ['pattern', 'path', 'glob']],
      ['shell', 'write', true, ['command', 'timeoutMs']],
    ]);
    expect(tool('read_file').inputSchema).toMatchObject({ type: 'object', required: ['path'] });
  });

  test.each(['read_file', 'write_file', 'edit_file', 'list_files', 'search', 'shell'])(
    '%s answers wrong input, whatever it is',
    async (name) => {
      for (const input of [
        null,
        undefined,
        'x',
        [],
        { path: 1, command: 2, pattern: 3 },
        { path: 'a', offset: 0, content: 5, old: '', depth: 0, pattern: '', command: '' },
      ]) {
        if (name === 'list_files' && Array.isArray(input)) continue;
        expect(errorOf(await run(name, input))).toContain(`${name} was called with wrong input`);
        expect(tool(name).subject(input)).toBe('');
      }
    },
  );

  test('a subject is the path or the command', () => {
    expect(tool('write_file').subject({ path: 'a/b', content: '' })).toBe('a/b');
    expect(tool('shell').subject({ command: 'rm -rf x' })).toBe('rm -rf x');
    expect(tool('list_files').subject({})).toBe('.');
  });

  test.each(['read_file', 'write_file', 'edit_file', 'list_files'])(
    '%s refuses to leave the workspace and says why',
    async (name) => {
      symlinkSync('/etc/passwd', join(bench.workspace, 'out'));
      symlinkSync(join(bench.other, 'secret.txt'), join(bench.workspace, 'other'));
      const rest = { content: 'x', old: 'root', new: 'x' };
      expect(errorOf(await run(name, { path: 'out', ...rest }))).toContain('leads out of the workspace');
      expect(errorOf(await run(name, { path: 'other', ...rest }))).toContain('belongs to another session');
      expect(readFileSync(join(bench.other, 'secret.txt'), 'utf8')).toBe('secret');
    },
  );

  test.each(['read_file', 'write_file', 'edit_file'])('%s opens no FIFO, socket, device or folder', async (name) => {
    makeFifo(join(bench.workspace, 'fifo'));
    mkdirSync(join(bench.workspace, 'folder'));
    symlinkSync('fifo', join(bench.workspace, 'link'));
    const server = createServer().listen(join(bench.workspace, 's'));
    await new Promise((resolve) => server.once('listening', resolve));
    const rest = { content: 'x', old: 'a', new: 'x' };
    expect(errorOf(await run(name, { path: 'fifo', ...rest }))).toContain('a FIFO, not a file');
    expect(errorOf(await run(name, { path: 'link', ...rest }))).toContain('a FIFO, not a file');
    expect(errorOf(await run(name, { path: 's', ...rest }))).toContain('a socket, not a file');
    expect(errorOf(await run(name, { path: 'folder', ...rest }))).toContain('a folder');
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('read_file', () => {
  test('gives a file as it is', async () => {
    bench.put('a.txt', 'one\r\ntwo\n\ufeffthree');
    expect(textOf(await run('read_file', { path: 'a.txt' }))).toBe('one\r\ntwo\n\ufeffthree');
  });

  test('gives lines, and says that there are more', async () => {
    bench.put('a.txt', '1\n2\n3\n4\n');
    expect(textOf(await run('read_file', { path: 'a.txt', offset: 2, limit: 2 }))).toBe(
      '2\n3\n[there is more: read on with offset 4]',
    );
    expect(textOf(await run('read_file', { path: 'a.txt', offset: 3, limit: 2 }))).toBe('3\n4\n');
    expect(textOf(await run('read_file', { path: 'a.txt', offset: 9 }))).toBe('[the file has no line 9]');
  });

  test('cuts a large file at the limit, never within a character', async () => {
    bench.put('a.txt', 'ab😀😀');
    const text = textOf(await run('read_file', { path: 'a.txt' }, { outputLimitBytes: 8 }));
    expect(text).toBe(
      'ab😀\n[cut within line 1: the answer is full; read on with offset 1, or use shell for a very long line]',
    );
    expect(text.isWellFormed()).toBe(true);
  });

  test('reads only what it gives of a huge file', async () => {
    const path = bench.put('huge', 'start\n');
    truncateSync(path, 20 * 1024 ** 3);
    writeFileSync(path, 'x'.repeat(20_000), { flag: 'r+' });
    expect(textOf(await run('read_file', { path: 'huge' }, { outputLimitBytes: 10 }))).toMatch(/^x{10}\n\[cut/);
    expect(errorOf(await run('read_file', { path: 'huge', offset: 5 }))).toContain('too far');
  });

  test('names images and binary files instead of showing them', async () => {
    bench.put('a.png', Buffer.from('89504e470d0a1a0a0000', 'hex'));
    bench.put('b.bin', Buffer.from([1, 0, 2]));
    expect(textOf(await run('read_file', { path: 'a.png' }))).toBe(
      '["a.png" is a PNG image of 10 bytes; its content is not shown]',
    );
    expect(textOf(await run('read_file', { path: 'b.bin' }))).toContain('a binary file of 3 bytes');
  });

  test('marks text that is not UTF-8', async () => {
    bench.put('latin1.txt', Buffer.from('caf\xe9\n', 'latin1'));
    expect(textOf(await run('read_file', { path: 'latin1.txt' }))).toBe(
      'caf\ufffd\n[not UTF-8: bytes that are none read as U+FFFD here]',
    );
  });

  test('says what is missing and what is empty', async () => {
    bench.put('empty', '');
    expect(textOf(await run('read_file', { path: 'empty' }))).toBe('[the file is empty]');
    expect(errorOf(await run('read_file', { path: 'none' }))).toBe('"none" does not exist.');
  });
});

describe('write_file', () => {
  test('makes folders and a file, and says how much it wrote', async () => {
    expect(textOf(await run('write_file', { path: 'x/y/é.txt', content: 'é\n' }))).toBe('Wrote 3 bytes to x/y/é.txt.');
    expect(read('x/y/é.txt')).toBe('é\n');
    expect(readdirSync(join(bench.workspace, 'x/y'))).toEqual(['é.txt']);
  });

  test('keeps the mode of an existing file and writes through a link within the workspace', async () => {
    const path = bench.put('run.sh', 'old');
    chmodSync(path, 0o751);
    symlinkSync('run.sh', join(bench.workspace, 'link'));
    await run('write_file', { path: 'link', content: 'new' });
    expect([
      read('run.sh'),
      statSync(path).mode & 0o777,
      lstatSync(join(bench.workspace, 'link')).isSymbolicLink(),
    ]).toEqual(['new', 0o751, true]);
  });

  test('never writes into a file that has another name elsewhere', async () => {
    linkSync(join(bench.other, 'secret.txt'), join(bench.workspace, 'hard'));
    await run('write_file', { path: 'hard', content: 'mine' });
    expect([read('hard'), readFileSync(join(bench.other, 'secret.txt'), 'utf8')]).toEqual(['mine', 'secret']);
  });

  test('makes what a dangling link within the workspace names, and nothing outside', async () => {
    symlinkSync('made/file', join(bench.workspace, 'in'));
    symlinkSync(join(bench.folder, 'made'), join(bench.workspace, 'out'));
    await run('write_file', { path: 'in', content: 'x' });
    expect(read('made/file')).toBe('x');
    expect(errorOf(await run('write_file', { path: 'out', content: 'x' }))).toContain('leads out');
    expect(existsSync(join(bench.folder, 'made'))).toBe(false);
  });

  test('refuses protected paths and what is below them, by links too, and writes the rest of .git', async () => {
    bench.put('.git/config', 'old');
    bench.put('.git/hooks/x', 'old');
    symlinkSync('.git', join(bench.workspace, 'g'));
    const frozen = { frozen: ['.git/config', '.git/hooks'] };
    for (const path of ['.git/config', 'g/config', '.git/hooks/pre-commit', '/work/.git/hooks/x']) {
      expect(errorOf(await run('write_file', { path, content: 'new' }, frozen))).toContain('is protected');
    }
    expect(errorOf(await run('edit_file', { path: 'g/config', old: 'old', new: 'new' }, frozen))).toContain(
      'is protected',
    );
    expect(textOf(await run('write_file', { path: '.git/info/exclude', content: 'x' }, frozen))).toContain('Wrote');
    expect(read('.git/config')).toBe('old');
  });

  test('a failed write leaves the old file and no other', async () => {
    bench.put('a', 'old');
    bench.put('file', '');
    expect(errorOf(await run('write_file', { path: 'file/below', content: 'x' }))).toContain('is no folder');
    expect(errorOf(await run('write_file', { path: 'folder/', content: 'x' }))).toContain('names a folder');
    expect(errorOf(await run('write_file', { path: '.', content: 'x' }))).toContain('names a folder');
    expect(readdirSync(bench.workspace).sort()).toEqual(['a', 'file']);
  });

  test('a name as long as names may be works', async () => {
    const name = 'n'.repeat(255);
    expect(textOf(await run('write_file', { path: name, content: 'x' }))).toContain('Wrote');
    expect(read(name)).toBe('x');
  });

  test('after a crash: done when the bytes are there, else to be run again', async () => {
    const input = { path: 'a', content: 'new' };
    expect(await recover('write_file', input)).toBeNull();
    bench.put('a', 'ne');
    expect(await recover('write_file', input)).toBeNull();
    const answer = await run('write_file', input);
    expect(await recover('write_file', input)).toEqual(answer);
  });
});

describe('edit_file', () => {
  test('replaces the one occurrence, and nothing of $ patterns', async () => {
    bench.put('a', 'x = 1\ny = 1\n');
    expect(textOf(await run('edit_file', { path: 'a', old: 'y = 1', new: "y = $& $' 2" }))).toBe('Edited a.');
    expect(read('a')).toBe("x = 1\ny = $& $' 2\n");
  });

  test('says how often the text is there when not once', async () => {
    bench.put('a', 'aaa');
    expect(errorOf(await run('edit_file', { path: 'a', old: 'b', new: 'c' }))).toContain('0 times');
    expect(errorOf(await run('edit_file', { path: 'a', old: 'aa', new: 'c' }))).toContain('2 times');
    expect(errorOf(await run('edit_file', { path: 'a', old: 'aaa', new: 'aaa' }))).toContain('the same');
    expect(read('a')).toBe('aaa');
  });

  test('hints at CRLF', async () => {
    bench.put('a', 'one\r\ntwo\r\n');
    expect(errorOf(await run('edit_file', { path: 'a', old: 'one\ntwo', new: 'x' }))).toContain('CRLF');
  });

  test('leaves bytes that are no UTF-8 as they are', async () => {
    bench.put('a', Buffer.from('\xff\xfeold\x00', 'latin1'));
    await run('edit_file', { path: 'a', old: 'old', new: 'é' });
    expect(readFileSync(join(bench.workspace, 'a')).toString('hex')).toBe('fffec3a900');
  });

  test.each([
    ['old', 'new'],
    ['old', 'old and new'],
    ['old and', 'old'],
    ['old', ''],
  ])('after a crash, %j to %j: done when it is, else to be run again', async (old, replacement) => {
    const input = { path: 'a', old, new: replacement };
    bench.put('a', 'before old and after');
    expect(await recover('edit_file', input)).toBeNull();
    const answer = await run('edit_file', input);
    expect(textOf(answer)).toBe('Edited a.');
    expect(await recover('edit_file', input)).toEqual(answer);
  });
});

describe('list_files', () => {
  test('shows two levels, kinds, sizes, link targets and odd names in order', async () => {
    bench.put('b.txt', '12345');
    bench.put('a/deep/er/x', '');
    bench.put('.git/HEAD', '');
    bench.put('new\nline', '');
    symlinkSync('/etc/passwd', join(bench.workspace, 'link'));
    makeFifo(join(bench.workspace, 'pipe'));
    writeFileSync(Buffer.concat([Buffer.from(`${bench.workspace}/z`), Buffer.from([0xff])]), '');
    expect(textOf(await run('list_files', {})).split('\n')).toEqual([
      '.git/',
      'a/',
      'a/deep/',
      'b.txt  5 bytes',
      'link -> /etc/passwd',
      '"new\\nline"  0 bytes',
      'pipe [a FIFO]',
      '"z\\xff"  0 bytes',
    ]);
  });

  test('enters closed folders only by name, and goes as deep as told', async () => {
    bench.put('.git/HEAD', 'x');
    bench.put('a/b/c/d', '');
    expect(textOf(await run('list_files', { path: '.git' }))).toBe('HEAD  1 byte');
    expect(textOf(await run('list_files', { path: 'a', depth: 5 }))).toBe('b/\nb/c/\nb/c/d  0 bytes');
  });

  test('is bounded, and says so', async () => {
    for (let index = 0; index < 50; index += 1) bench.put(`f${index}`, '');
    const lines = textOf(await run('list_files', {}, { outputLimitBytes: 100 })).split('\n');
    expect(lines.length).toBeLessThan(12);
    expect(lines.at(-1)).toContain('there is more');
  });

  test('an empty folder, a file and nothing are told apart', async () => {
    mkdirSync(join(bench.workspace, 'e'));
    bench.put('f', '');
    expect(textOf(await run('list_files', { path: 'e' }))).toBe('[the folder is empty]');
    expect(errorOf(await run('list_files', { path: 'f' }))).toContain('is a file, not a folder');
    expect(errorOf(await run('list_files', { path: 'g' }))).toContain('does not exist');
  });
});
