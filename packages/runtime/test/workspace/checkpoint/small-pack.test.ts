import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { hashObject } from '../../../src/workspace/checkpoint/objects/format.ts';
import {
  renderSmallPack,
  type SmallObject,
  writeSmallPack,
} from '../../../src/workspace/checkpoint/objects/small-pack.ts';
import { makeBareRepository } from '../../../src/workspace/git/index.ts';

const FORMATS = [
  { name: 'sha1', rawLength: 20 },
  { name: 'sha256', rawLength: 32 },
] as const;

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ramet-small-pack-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function makeObjects(count: number): SmallObject[] {
  return Array.from({ length: count }, (_, position) => ({
    type: 'blob',
    bytes: Buffer.from(`${position} ${'x'.repeat(position * 37)}`),
  }));
}

function runGit(gitDir: string, args: readonly string[], input = ''): Buffer {
  const done = spawnSync('git', args, { env: { PATH: process.env.PATH, GIT_DIR: gitDir }, input });
  if (done.status !== 0) throw new Error(`git ${args.join(' ')}: ${done.stderr}`);
  return done.stdout;
}

it.each(FORMATS.flatMap((format) => [1, 2, 300].map((count) => ({ format, count }))))(
  'has the index git itself makes for the pack: %o',
  async ({ format, count }) => {
    const folder = makeFolder();
    const gitDir = join(folder, 'store.git');
    await makeBareRepository(gitDir, format.name);
    const { pack, index, name } = renderSmallPack(format, makeObjects(count));
    const path = join(folder, `${name}.pack`);
    writeFileSync(path, pack);
    runGit(gitDir, ['index-pack', '--strict', '--no-rev-index', path]);
    expect(readFileSync(join(folder, `${name}.idx`)).equals(index)).toBe(true);
  },
);

it.each(FORMATS)('is read by git, object by object: %o', async (format) => {
  const gitDir = join(makeFolder(), 'store.git');
  await makeBareRepository(gitDir, format.name);
  const objects = [...makeObjects(20), { type: 'tree', bytes: Buffer.alloc(0) } as const];
  await writeSmallPack(gitDir, format, objects);
  runGit(gitDir, ['fsck', '--strict']);
  for (const { type, bytes } of objects) {
    expect(runGit(gitDir, ['cat-file', type, hashObject(format, type, bytes)])).toEqual(bytes);
  }
  expect(readdirSync(join(gitDir, 'objects', 'pack'))).toHaveLength(2);
});

it('leaves nothing when the store cannot be written', async () => {
  const gitDir = join(makeFolder(), 'store.git');
  await makeBareRepository(gitDir, 'sha1');
  const pack = join(gitDir, 'objects', 'pack');
  const objects = makeObjects(2);
  const { name } = renderSmallPack(FORMATS[0], objects);
  // The pack's own name is taken by a folder: the rename fails.
  runGit(gitDir, ['init', '-q', '--bare', join(pack, `${name}.pack`)]);
  await expect(writeSmallPack(gitDir, FORMATS[0], objects)).rejects.toThrow();
  expect(readdirSync(pack)).toEqual([`${name}.pack`]);
});
