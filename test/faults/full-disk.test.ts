/** A disk that is really full: a small file system in memory, filled to its last block. */
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forkSession } from '@ramet/runtime/fork';
import { type FileStore, openFileStore } from '@ramet/runtime/store';
import { auditStore, buildSession, buildTurn, makeTestId } from '@ramet/testkit';
import { bytesOf, countIds, expectDone, ownOf } from '@ramet/testkit/store-contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mountSmallDisk, needDisk, type SmallDisk } from './small-disk.ts';

const SOURCE = makeTestId(1);
let disk: SmallDisk | null;
let store: FileStore;

beforeEach(async () => {
  disk = mountSmallDisk(mkdtempSync(join(tmpdir(), 'ramet-full-')), '2m');
  if (disk === null) return;
  store = openFileStore({ home: join(disk.folder, 'state'), now: Date.now, sealBytes: 40_000 });
  const staged = store.stage(SOURCE);
  staged.append(buildSession({ id: SOURCE, turns: [{}, {}, {}] }));
  await staged.commit();
});

afterEach(() => {
  disk?.unmount();
});

function fillDisk(folder: string): () => void {
  const path = join(folder, 'filler');
  const fd = openSync(path, 'w');
  for (const bytes of [Buffer.alloc(65_536), Buffer.alloc(1)]) {
    try {
      for (;;) writeSync(fd, bytes);
    } catch {
      // Full.
    }
  }
  closeSync(fd);
  expect(statfsSync(folder).bavail).toBe(0);
  return () => rmSync(path);
}

describe('a full disk', () => {
  it('fails an append with the reason, keeps every byte, and the same owner goes on when there is room', async (ctx) => {
    const { folder } = needDisk(ctx, disk);
    const owner = await ownOf(store, SOURCE);
    const before = bytesOf(store, SOURCE);
    const makeRoom = fillDisk(folder);
    const turn = buildTurn({ prompt: 'x'.repeat(100_000) }, 4);
    await expect(owner.append(turn, { durable: true })).rejects.toMatchObject({
      code: 'disk_failed',
      message: expect.stringContaining('ENOSPC; the disk is full'),
    });
    expect(bytesOf(store, SOURCE)).toEqual(before);
    makeRoom();
    await owner.append(turn, { durable: true });
    owner.close();
    expect(auditStore(store.layout.home)).toEqual([]);
    expect(bytesOf(store, SOURCE).subarray(0, before.length)).toEqual(before);
  });

  it('fails a fork and leaves nothing of it', async (ctx) => {
    const { folder } = needDisk(ctx, disk);
    const before = bytesOf(store, SOURCE);
    const context = { store, makeId: countIds() };
    const makeRoom = fillDisk(folder);
    await expect(forkSession(context, SOURCE, { idempotencyKey: 'k' })).rejects.toMatchObject({ code: 'disk_failed' });
    expect(store.listRuns()).toEqual([SOURCE]);
    expect(readdirSync(store.layout.staging)).toEqual([]);
    makeRoom();
    const fork = expectDone(await forkSession(context, SOURCE, { idempotencyKey: 'k' }));
    expect(bytesOf(store, fork.session ?? SOURCE).subarray(0, before.length)).toEqual(before);
    expect(auditStore(store.layout.home)).toEqual([]);
  });

  it('fails a new run and its payload, and a removal makes room', async (ctx) => {
    const { folder } = needDisk(ctx, disk);
    const fill = fillDisk(folder);
    const id = makeTestId(2);
    const build = async (): Promise<void> => {
      const staged = store.stage(id);
      try {
        staged.append(buildSession({ id, turns: [{ prompt: 'y'.repeat(400_000) }] }));
      } catch (error) {
        staged.discard();
        throw error;
      }
      await staged.commit();
    };
    await expect(build()).rejects.toMatchObject({ code: 'disk_failed' });
    mkdirSync(store.layout.staging, { recursive: true });
    expect(readdirSync(store.layout.staging)).toEqual([]);
    expect(await store.remove(SOURCE)).toBeNull();
    fill();
    await build();
    expect(store.listRuns()).toEqual([id]);
    expect(auditStore(store.layout.home)).toEqual([]);
  });
});
