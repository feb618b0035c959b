import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isRefusal } from '@ramet/core/codes';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type BubblewrapConfig, makeBubblewrapArguments } from '../../src/sandbox/bubblewrap-arguments.ts';
import { makeGitConfig } from '../../src/sandbox/generated-files.ts';
import { makeMountPoints, removeMountPoints } from '../../src/sandbox/mount-points.ts';
import { probeBubblewrap } from '../../src/sandbox/probe.ts';
import { readToolchains } from '../../src/sandbox/toolchains.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'ramet-arguments-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('makeBubblewrapArguments', () => {
  const config: BubblewrapConfig = {
    program: '/usr/bin/bwrap',
    disableUserns: true,
    system: [{ source: '/usr', target: '/usr' }],
    links: [{ target: 'usr/bin', path: '/bin' }],
    generated: [{ descriptor: 4, target: '/etc/passwd' }],
    procReadOnly: ['/proc/sys'],
    procMasked: ['/proc/keys'],
    workspace: { source: '/h/w', target: '/work' },
    scratch: { source: '/h/s', target: '/tmp' },
    toolchains: ['/opt/x'],
    hiddenFolders: ['/usr/secret'],
    hiddenFiles: ['/opt/x/credentials'],
    readOnly: ['/usr/secret/base.git'],
    pinned: [{ source: '/h/w/.git', target: '/work/.git' }],
    frozen: [{ source: '/h/w/.git/hooks', target: '/work/.git/hooks' }],
    bridge: [],
    env: { HOME: '/tmp/home' },
    cwd: '/work',
    argv: ['--looks', '--like', 'options'],
    statusDescriptor: 3,
    filterDescriptor: 5,
  };
  const args = makeBubblewrapArguments(config);
  const at = (...part: string[]) =>
    args.findIndex((_, index) => part.every((text, offset) => args[index + offset] === text));

  test('unshares everything, keeps no capability and dies with us', () => {
    for (const option of ['--unshare-all', '--disable-userns', '--die-with-parent', '--new-session', '--clearenv'])
      expect(args).toContain(option);
    expect(at('--cap-drop', 'ALL')).toBeGreaterThan(0);
    expect(args.some((arg) => arg.startsWith('--share') || arg === '--dev-bind')).toBe(false);
  });

  test('hides after it shows, and shows base.git after it hides', () => {
    const order = [
      at('--ro-bind', '/usr', '/usr'),
      at('--proc', '/proc'),
      at('--ro-bind', '/proc/sys', '/proc/sys'),
      at('--bind', '/h/s', '/tmp'),
      at('--bind', '/h/w', '/work'),
      at('--tmpfs', '/usr/secret'),
      at('--ro-bind', '/usr/secret/base.git', '/usr/secret/base.git'),
      at('--bind', '/h/w/.git', '/work/.git'),
      at('--ro-bind', '/h/w/.git/hooks', '/work/.git/hooks'),
      at('--remount-ro', '/'),
    ];
    expect(order).toEqual(order.toSorted((one, other) => one - other));
    expect(order.every((index) => index > 0)).toBe(true);
  });

  test('writable are the workspace, the scratch folder and what is pinned, nothing else', () => {
    const writable = args.filter((_, index) => args[index - 2] === '--bind');
    expect(writable).toEqual(['/tmp', '/work', '/work/.git']);
  });

  test('the command follows --, whatever it looks like', () => {
    expect(args.slice(args.indexOf('--'))).toEqual(['--', '--looks', '--like', 'options']);
  });
});

describe('readToolchains', () => {
  const make = (...paths: string[]) =>
    paths.map((path) => {
      mkdirSync(join(folder, path), { recursive: true });
      return join(folder, path);
    });
  const read = (path: readonly string[], more: { home?: string; hidden?: string[] } = {}) =>
    readToolchains({
      path: path.join(':'),
      home: more.home ?? join(folder, 'home'),
      hidden: more.hidden ?? [],
      system: ['/usr', '/bin'],
    });

  test('an installation is the folder above bin, or the folder itself', () => {
    const [bin, tools] = make('opt/x/bin', 'home/.tool') as [string, string];
    expect(read([bin, tools, '/usr/bin'])).toMatchObject({
      path: [bin, tools, '/usr/bin'],
      prefixes: [tools, dirname(bin)],
    });
  });

  test('HOME, what is above it, and shared folders of it are never shown', () => {
    const paths = make('home/bin', 'home', 'home/.local/bin', 'home/.config/bin', 'bin');
    expect(read(paths)).toMatchObject({ path: [], prefixes: [] });
  });

  test('neither what is hidden, nor what holds it, nor what lies in it', () => {
    const [inside, above, beside] = make('t/state/bin', 't/bin', 'u/bin') as [string, string, string];
    expect(read([inside, above, beside], { hidden: [join(folder, 't/state')] }).path).toEqual([beside]);
  });

  test('no folder of a project', () => {
    const paths = make('home/p/node_modules/.bin', 'home/p/.venv/bin', 'home/p/bin');
    make('home/p/.git');
    expect(read(paths)).toMatchObject({ path: [], prefixes: [] });
  });

  test('a version manager that is a clone counts, finds its folder, and its credentials are hidden', () => {
    const [shims, bin] = make('home/.pyenv/shims', 'home/.pyenv/bin') as [string, string];
    make('home/.pyenv/.git');
    writeFileSync(join(folder, 'home/.pyenv/credentials'), 'secret');
    const root = join(folder, 'home/.pyenv');
    expect(read([shims, bin])).toEqual({
      path: [shims, bin],
      prefixes: [root],
      hiddenFiles: [join(root, 'credentials')],
      env: { PYENV_ROOT: root },
    });
  });

  test('a link in PATH is what it leads to; relative, empty and missing entries are dropped', () => {
    const [bin] = make('opt/y/bin') as [string];
    symlinkSync(bin, join(folder, 'link'));
    symlinkSync(join(folder, 'home'), join(folder, 'homelink'));
    make('home');
    expect(read([join(folder, 'link'), '', 'bin', './x', join(folder, 'gone'), join(folder, 'homelink')]).path).toEqual(
      [bin],
    );
  });
});

describe('mount points', () => {
  test('are made below the mount they lie in, through no link, and taken away again', () => {
    const source = join(folder, 'workspace');
    const outside = join(folder, 'outside');
    for (const path of [source, outside]) mkdirSync(path);
    symlinkSync(outside, join(source, 'state'));
    const mount = { source, target: '/work' };
    const targets = ['/work/state/base.git', '/elsewhere/x', '/work', '/workshop/x'];
    expect(() => makeMountPoints(mount, targets, 'fail')).toThrow('is in the way');
    const made = makeMountPoints(mount, targets, 'replace');
    expect(made).toEqual([join(source, 'state'), join(source, 'state/base.git')]);
    expect(readdirSync(outside)).toEqual([]);
    writeFileSync(join(source, 'state/left'), '');
    removeMountPoints(made);
    expect(readdirSync(join(source, 'state'))).toEqual(['left']);
  });
});

describe('probing', () => {
  test('without the program it says what installs it', async () => {
    expect(await probeBubblewrap({ platform: 'linux', program: null })).toMatchObject({
      kind: 'absent',
      install: expect.stringContaining('bubblewrap'),
    });
  });

  test('a program that is there and does not work does not count', async () => {
    const program = join(folder, 'bwrap');
    writeFileSync(program, '#!/bin/sh\necho "No permissions to create new namespace" >&2; exit 1\n', { mode: 0o755 });
    const probe = await probeBubblewrap({ platform: 'linux', program });
    expect(probe).toMatchObject({ kind: 'absent', install: null, reason: expect.stringContaining('No permissions') });
  });

  test('a program that ends well without running the command does not count', async () => {
    const program = join(folder, 'bwrap');
    writeFileSync(program, '#!/bin/sh\necho ran\n', { mode: 0o755 });
    expect(await probeBubblewrap({ platform: 'linux', program })).toMatchObject({ kind: 'absent' });
  });

  test('elsewhere than on Linux there is none', async () => {
    const probe = await probeBubblewrap({ platform: 'darwin', program: '/usr/bin/bwrap' });
    expect(probe).toMatchObject({ kind: 'absent', install: null });
    expect(isRefusal(probe)).toBe(false);
  });
});

describe('makeGitConfig', () => {
  test('a name cannot add sections or lines', () => {
    const text = makeGitConfig({ name: 'a"\n[core]\n\tpager = x \\', email: 'e' });
    expect(text.split('\n').filter((line) => line.startsWith('['))).toEqual([
      '[user]',
      '[safe]',
      '[init]',
      '[gc]',
      '[maintenance]',
    ]);
  });
});
