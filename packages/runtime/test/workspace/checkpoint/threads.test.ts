import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { hashObject } from '../../../src/workspace/checkpoint/objects/format.ts';
import { writeSmallPack } from '../../../src/workspace/checkpoint/objects/small-pack.ts';
import type { BatchFile } from '../../../src/workspace/checkpoint/restored/batch.ts';
import type { ThreadRequest } from '../../../src/workspace/checkpoint/restored/thread-entry.ts';
import {
  listThreads,
  startWritingThreads,
  type WritingThread,
} from '../../../src/workspace/checkpoint/restored/threads.ts';
import { makeBareRepository } from '../../../src/workspace/git/index.ts';
import { makeSite } from './fixture.ts';

const SHA1 = { name: 'sha1', rawLength: 20 } as const;

async function findThread(): Promise<WritingThread> {
  startWritingThreads();
  return vi.waitFor(
    () => {
      const [thread] = listThreads();
      if (thread === undefined) throw new Error('no thread is ready');
      return thread;
    },
    { timeout: 30_000 },
  );
}

async function makeRequest(restore: number) {
  const folder = mkdtempSync(join(tmpdir(), 'ramet-threads-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const gitDir = join(folder, 'store.git');
  await makeBareRepository(gitDir, 'sha1');
  const contents = ['one', '', 'three'].map((text) => Buffer.from(text));
  await writeSmallPack(
    gitDir,
    SHA1,
    contents.map((bytes) => ({ type: 'blob', bytes })),
  );
  const files = contents.map((bytes, position): BatchFile => {
    const name = `${folder}/\u00e9-${position}`;
    const place = position === 2 ? Buffer.concat([Buffer.from(name), Buffer.from([0xff])]) : name;
    return { place, mode: 0o640, date: 1_000_000_000 + position, oid: hashObject(SHA1, 'blob', bytes) };
  });
  const request: ThreadRequest = { restore, packs: [join(gitDir, 'objects', 'pack')], hashName: 'sha1', files };
  return { folder, files, contents, request };
}

describe('a writing thread', () => {
  it('writes a batch, and says what is seen of it and what no pack holds', async () => {
    const thread = await findThread();
    const { files, contents, request } = await makeRequest(1);
    const missing = { ...files[0], place: '/nowhere', oid: '1'.repeat(40) } as BatchFile;
    const written = await thread.take({ ...request, files: [missing, ...files] });
    expect(written).toMatchObject({ unread: [0] });
    for (const [position, { place, date }] of files.entries()) {
      const path = place as string | Buffer;
      expect(readFileSync(path)).toEqual(contents[position]);
      const { mode, size, ino, mtimeMs, ctimeMs, uid, gid } = lstatSync(path);
      expect([mode & 0o777, mtimeMs]).toEqual([0o640, date * 1000]);
      const seen = [...(written?.seen.subarray((position + 1) * 7, (position + 2) * 7) ?? [])];
      expect(seen).toEqual([mode, size, ino, mtimeMs, ctimeMs, uid, gid]);
    }
    thread.end({ ...request, files: null });
  });

  it('answers a batch it cannot write with the code of the system, and goes on', async () => {
    const thread = await findThread();
    const { files, request } = await makeRequest(2);
    writeFileSync(files[1]?.place as string, 'in the way');
    await expect(thread.take(request)).rejects.toMatchObject({ code: 'EEXIST' });
    const other = await makeRequest(3);
    expect(await thread.take(other.request)).toMatchObject({ unread: [] });
    for (const { restore } of [request, other.request]) thread.end({ ...request, restore, files: null });
  });
});

it('restores thousands of files as they were, whichever thread writes them', { timeout: 120_000 }, async () => {
  await findThread();
  const site = await makeSite();
  const run = await site.addRun();
  fillFolder(join(run.path, 'many'));
  const { id } = await site.capture(run);
  const expected = describeTree(join(run.path, 'many'));
  expect(Object.keys(expected)).toHaveLength(3034);
  const before = process.umask(0o077);
  try {
    expect(describeTree(join(await site.restore(id), 'many'))).toEqual(expected);
  } finally {
    process.umask(before);
  }
  expect(describeTree(join(await site.restore(id), 'many'))).toEqual(expected);
});

function fillFolder(folder: string): void {
  mkdirSync(folder);
  for (let index = 0; index < 3000; index += 1) {
    const below = join(folder, `d${Math.floor(index / 100)}`);
    if (index % 100 === 0) mkdirSync(below);
    const path = join(below, `f${index}`);
    writeFileSync(
      path,
      index % 500 === 0 ? Buffer.alloc(1_100_000 + index, 'large ') : `${index}\n`.repeat(index % 70),
    );
    if (index % 7 === 0) chmodSync(path, [0o600, 0o755, 0o666, 0o444, 0o4755][index % 5] ?? 0o644);
  }
  symlinkSync('d0/f1', join(folder, 'link'));
  mkdirSync(join(folder, 'empty'), { mode: 0o711 });
  writeFileSync(join(folder, 'd0', '\u00e9 and more'), 'name');
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/d0/`), Buffer.from([0xff, 0x01])]), 'bytes');
}

/** Every path below a folder with its type, mode and content. */
function describeTree(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  const names = readdirSync(folder, { recursive: true, encoding: 'latin1' as BufferEncoding }) as string[];
  for (const name of names.sort()) {
    const path = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')]);
    const stats = lstatSync(path);
    const content = stats.isFile() ? createHash('sha1').update(readFileSync(path)).digest('hex') : '';
    found[name] = `${stats.mode.toString(8)} ${content}`;
  }
  return found;
}
