import { writeFileSync } from 'node:fs';
import { isRefusal } from '@ramet/core';
import { openFileStore } from '@ramet/runtime/store';
import { digestTree, makeTestId } from '@ramet/testkit';
import { describe, expect, test } from 'vitest';
import {
  describeCheckpoint,
  diffTurns,
  findTurnCheckpoint,
  listCheckpointFolder,
  readCheckpointPart,
  readFilePatches,
  type StoredCheckpoint,
} from '../../../src/workspace/browse/index.ts';
import { diffCheckpoint } from '../../../src/workspace/diff/index.ts';
import { makeSite, type Site } from '../diff/fixture.ts';

async function capture(script: string): Promise<{ readonly site: Site; readonly stored: StoredCheckpoint }> {
  const site = await makeSite();
  const run = await site.startRun();
  const { id } = await run.turn(script);
  return { site, stored: { project: site.project, checkpoint: id } };
}

async function list(stored: StoredCheckpoint, path: string | Uint8Array) {
  const listing = await listCheckpointFolder(stored, path);
  if (listing === null || isRefusal(listing)) throw new Error(listing?.message ?? `nothing at ${path}`);
  return listing;
}

async function read(stored: StoredCheckpoint, path: string | Uint8Array, range = {}) {
  const part = await readCheckpointPart(stored, path, range);
  if (part === null || isRefusal(part)) throw new Error(part?.message ?? `nothing at ${path}`);
  return part;
}

describe('a folder of a checkpoint', () => {
  test('is listed with names, kinds, sizes and modes, empty folders too', async () => {
    const { stored } = await capture(
      'mkdir -p empty/inner dir/none; chmod 700 run; ln -sfn ../outside link; chmod 600 one',
    );
    const { entries, count } = await list(stored, '');
    expect(
      entries.map(({ shown, kind, bytes, mode, target }) => [shown, kind, bytes, mode.toString(8), target]),
    ).toEqual([
      ['.gitignore', 'file', 18, '644', undefined],
      ['dir', 'folder', null, '755', undefined],
      ['empty', 'folder', null, '755', undefined],
      ['letters', 'file', 14, '644', undefined],
      ['link', 'link', 10, '777', '../outside'],
      ['one', 'file', 4, '600', undefined],
      ['run', 'file', 10, '700', undefined],
      ['two', 'file', 4, '644', undefined],
    ]);
    expect(count).toBe(entries.length);
    expect((await list(stored, 'dir')).entries.map(({ shown, kind }) => [shown, kind])).toEqual([
      ['none', 'folder'],
      ['sub', 'folder'],
      ['x', 'file'],
    ]);
    expect((await list(stored, 'empty')).entries.map(({ shown }) => shown)).toEqual(['inner']);
    expect((await list(stored, 'empty/inner')).entries).toEqual([]);
  });

  test('is found by the bytes of its name, whatever they are', async () => {
    const { stored } = await capture(
      `mkdir -- $'\\377' 'a:b' '-rf' $'new\\nline' ':(top)' 'HEAD^{tree}'; for d in $'\\377' 'a:b' ./-rf $'new\\nline' ':(top)' 'HEAD^{tree}'
       do echo "$d" > "$d/f"; done; echo 1 > $'\\376'`,
    );
    const { entries } = await list(stored, '');
    expect(entries.filter(({ utf8 }) => !utf8).map(({ shown }) => shown)).toEqual(['\\xfe', '\\xff']);
    for (const name of ['a:b', '-rf', 'new\nline', ':(top)', 'HEAD^{tree}']) {
      expect((await list(stored, name)).entries).toHaveLength(1);
      expect((await read(stored, `${name}/f`)).content.toString()).toContain(name);
    }
    expect((await list(stored, Buffer.from([0xff]))).entries).toHaveLength(1);
    expect((await read(stored, Buffer.from([0xfe]))).content.toString()).toBe('1\n');
  });

  test('does not show git, neither its own nor that of a repository inside', async () => {
    const { stored } = await capture('git init -q inner; echo 1 > inner/f');
    expect((await list(stored, '')).entries.map(({ shown }) => shown)).not.toContain('.git');
    expect((await list(stored, 'inner')).entries.map(({ shown }) => shown)).toEqual(['f']);
    for (const path of ['.git', '.git/config', 'inner/.git/config', '.GIT/config']) {
      expect(await readCheckpointPart(stored, path)).toMatchObject({ kind: 'refusal', code: 'bad_input' });
    }
  });
});

describe('a hostile path', () => {
  test('is refused', async () => {
    const { stored } = await capture('true');
    const long = 'x'.repeat(5000);
    for (const path of ['..', '../x', 'dir/../one', '/etc/passwd', 'dir//x', './one', 'dir/.', 'one/', 'a\0b', long]) {
      expect(await readCheckpointPart(stored, path)).toMatchObject({ kind: 'refusal', code: 'bad_input' });
      expect(await listCheckpointFolder(stored, path)).toMatchObject({ kind: 'refusal', code: 'bad_input' });
    }
  });

  test('through a link or a file leads nowhere, and a link is read as its text', async () => {
    const { site, stored } = await capture('ln -s ../../.. up');
    writeFileSync(`${site.home}/secret`, 'secret');
    expect(await readCheckpointPart(stored, 'up/secret')).toBeNull();
    expect(await listCheckpointFolder(stored, 'up')).toMatchObject({ kind: 'refusal', code: 'bad_input' });
    expect(await readCheckpointPart(stored, 'one/x')).toBeNull();
    expect(await listCheckpointFolder(stored, 'one/x')).toBeNull();
    expect(await read(stored, 'up')).toMatchObject({ kind: 'link', content: Buffer.from('../../..') });
  });
});

describe('a file of a checkpoint', () => {
  test('is read in parts of a bounded size', async () => {
    const { stored } = await capture(
      `head -c 3000000 /dev/zero | tr '\\0' 'a' > big; printf 'tail' >> big; : > nothing`,
    );
    expect(await read(stored, 'big', { limitBytes: 10 })).toMatchObject({
      ...{ bytes: 3_000_004, from: 0 },
      content: Buffer.from('a'.repeat(10)),
    });
    const end = await read(stored, 'big', { from: 2_999_998, limitBytes: 100 });
    expect([end.from, end.content.toString()]).toEqual([2_999_998, 'aatail']);
    expect((await read(stored, 'big')).content).toHaveLength(1024 * 1024);
    expect((await read(stored, 'big', { from: 4_000_000 })).content).toHaveLength(0);
    expect((await read(stored, 'nothing')).content).toHaveLength(0);
    for (const range of [{ from: -1 }, { from: 0.5 }, { limitBytes: Number.NaN }]) {
      expect(await readCheckpointPart(stored, 'big', range)).toMatchObject({ code: 'bad_input' });
    }
    expect(await readCheckpointPart(stored, 'dir')).toMatchObject({ code: 'bad_input' });
    expect(await readCheckpointPart(stored, 'none')).toBeNull();
  });

  test('of a checkpoint the store does not have is a failure that says so', async () => {
    const { site, stored } = await capture('true');
    for (const checkpoint of ['0'.repeat(40), 'HEAD', '--help', site.base()]) {
      await expect(readCheckpointPart({ ...stored, checkpoint }, 'one')).rejects.toMatchObject({
        code: 'checkpoint_missing',
      });
    }
  });

  test('is read with nothing touched: neither the workspace nor the person’s checkout', async () => {
    const { site, stored } = await capture('echo 1 > new');
    const before = [digestTree(site.checkout), digestTree(`${site.home}/runs`)];
    await list(stored, 'dir');
    await read(stored, 'new');
    await describeCheckpoint(stored);
    expect([digestTree(site.checkout), digestTree(`${site.home}/runs`)]).toEqual(before);
  });
});

test('what a checkpoint says of git is told in short', async () => {
  const { site, stored } = await capture(
    'git checkout -q -b side; git add -A; git commit -q --allow-empty -m c; git tag t',
  );
  const told = await describeCheckpoint(stored);
  expect(told).toMatchObject({ head: 'ref: refs/heads/side', operation: null, index: { tracked: 8, links: 0 } });
  expect(told.git.state).toBe('complete');
  expect(told.commit).not.toBe(site.base());
  const names = told.refs.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['refs/heads/main', 'refs/heads/side', 'refs/tags/t']));
  expect(told.refCount).toBe(names.length);
});

describe('the patch of each file', () => {
  async function compare(script: string) {
    const { site, stored } = await capture(script);
    const from = { kind: 'commit', id: site.base() } as const;
    return diffCheckpoint({ project: site.project, from, to: stored.checkpoint });
  }

  test('belongs to its file, also where its type changed or git has no lines to show', async () => {
    const compared = await compare(
      `rm link two; echo 'diff --git a/x b/x' > link; ln -s one two; printf '\\0' > bin; chmod 644 run; git mv dir/x dir/moved
       printf -- '-- a\\n++ b\\ndiff --git a/q b/q\\n' > q; echo 1 > $'new\\nline'`,
    );
    const patches = await readFilePatches(compared);
    expect(patches.map(({ file }) => file)).toEqual(compared.files);
    for (const { file, patch, truncated } of patches) {
      expect(truncated).toBe(false);
      if (file.utf8 && !file.path.includes('\n')) expect(patch.toString()).toContain(` b/${file.path}\n`);
      const sections = patch.toString().match(/^diff --git /gm) ?? [];
      expect(sections).toHaveLength(file.status === 'type_changed' ? 2 : 1);
    }
    expect(patches.find(({ file }) => file.path === 'q')?.patch.toString()).toContain('+++ b\n');
  });

  test('is cut off at the end of a line, and the rest is still told apart', async () => {
    const compared = await compare(
      `seq 1 10000 > a; seq 1 10 > b; head -c 300000 /dev/zero | tr '\\0' x > c; echo d > d`,
    );
    const patches = await readFilePatches(compared, { fileBytes: 500 });
    expect(patches.map(({ file, truncated }) => [file.path, truncated])).toEqual([
      ['a', true],
      ['b', false],
      ['c', true],
      ['d', false],
    ]);
    for (const { patch } of patches) {
      expect(patch.length).toBeLessThanOrEqual(500);
      expect(patch.at(-1)).toBe(0x0a);
    }
    const few = await readFilePatches(compared, { totalBytes: 700, fileBytes: 500 });
    expect(few.map(({ truncated }) => truncated)).toEqual([true, false, true, true]);
    expect(few.reduce((sum, { patch }) => sum + patch.length, 0)).toBeLessThanOrEqual(700);
  });
});

describe('the checkpoint of a turn', () => {
  async function makeTurns() {
    const site = await makeSite();
    const run = await site.startRun();
    const first = await run.turn('echo 1 > new');
    const second = await run.turn('echo 2 > new; rm two');
    const store = openFileStore({ home: site.home, now: Date.now });
    const ends = [...(store.read(run.id)?.readEvents() ?? [])].filter(({ type }) => type === 'session.end');
    return { site, run, store, checkpoints: [first.id, second.id], offsets: ends.map(({ seq }) => seq) };
  }

  test('is that of the last one, or of the one that ended at an offset', async () => {
    const { run, store, checkpoints, offsets } = await makeTurns();
    expect(await findTurnCheckpoint(store, { id: run.id })).toMatchObject({
      checkpoint: checkpoints[1],
      offset: offsets[1],
    });
    for (const [index, at] of offsets.entries()) {
      expect(await findTurnCheckpoint(store, { id: run.id, at })).toMatchObject({ checkpoint: checkpoints[index] });
    }
    expect(await findTurnCheckpoint(store, { id: run.id, at: 1 })).toMatchObject({
      code: 'not_a_boundary',
      data: { offsets },
    });
    expect(await findTurnCheckpoint(store, { id: makeTestId(99) })).toMatchObject({ code: 'unknown_run' });
  });

  test('is compared with that of another turn, and of a sibling', async () => {
    const { site, run, store, offsets } = await makeTurns();
    const [at = 0] = offsets;
    const own = await diffTurns(store, { id: run.id, at }, { id: run.id });
    if (isRefusal(own)) throw new Error(own.message);
    expect(own.files.map(({ path, status }) => [path, status])).toEqual([
      ['new', 'modified'],
      ['two', 'deleted'],
    ]);
    const sibling = await site.forkRun(run);
    await sibling.turn('echo 3 > new; echo 3 > three');
    const between = await diffTurns(store, { id: run.id }, { id: sibling.id });
    if (isRefusal(between)) throw new Error(between.message);
    expect(between.files.map(({ path }) => path)).toEqual(['new', 'three']);
    const [patch] = await readFilePatches(between);
    expect(patch?.patch.toString()).toContain('-2\n+3\n');
  });
});
