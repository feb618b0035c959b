import fs, { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import type { RunId } from '@ramet/core';
import { forkSession } from '@ramet/runtime/fork';
import { type FileStore, openFileStore } from '@ramet/runtime/store';
import { auditStore, buildTurn, makeTestId } from '@ramet/testkit';
import { runWithFault } from '@ramet/testkit/fault-harness';
import { bytesOf, countIds, ownOf } from '@ramet/testkit/store-contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endsOf, expectDone, FIRST, makeHome, makeSession, openTestStore, segmentsOf } from '../store/helpers.ts';

let home: string;
let store: FileStore;

beforeEach(async () => {
  home = makeHome();
  store = openTestStore(home, 2_000);
  await makeSession(store, 8);
});

afterEach(() => expect(auditStore(home)).toEqual([]));

/** Names, bytes, modes, times and link targets of everything of a run. */
function fingerprint(id: RunId): unknown {
  const { folder } = store.pathsOf(id);
  return readdirSync(folder, { recursive: true })
    .map(String)
    .sort()
    .map((name) => {
      const { mode, size, mtimeMs, ino } = lstatSync(join(folder, name));
      const isFile = lstatSync(join(folder, name)).isFile();
      return {
        name,
        mode,
        size,
        mtimeMs,
        ino,
        bytes: isFile && name !== 'lock' ? readFileSync(join(folder, name), 'latin1') : '',
      };
    });
}

async function fork(id: RunId, at: number | undefined, makeId: () => RunId): Promise<RunId> {
  const result = expectDone(await forkSession({ store, makeId }, id, at === undefined ? {} : { at }));
  return result.session ?? makeTestId(0);
}

describe('a fork', () => {
  it('leaves its source as it was: bytes, modes, sizes and times', async () => {
    const before = fingerprint(FIRST);
    for (const at of endsOf(store)) await fork(FIRST, at, countIds(100 + at));
    expect(fingerprint(FIRST)).toEqual(before);
  });

  it('shares sealed segments and owns the rest', async () => {
    const child = await fork(FIRST, undefined, countIds());
    const parents = segmentsOf(store);
    const children = segmentsOf(store, child);
    expect(children.length).toBe(parents.length);
    for (const [index, path] of children.entries()) {
      const shared = index < children.length - 1;
      expect(lstatSync(path).ino === lstatSync(parents[index] ?? '').ino).toBe(shared);
      expect(lstatSync(path).nlink).toBe(shared ? 2 : 1);
    }
  });

  it('differs from another at the same turn in its fork event alone', async () => {
    const makeId = countIds();
    const at = endsOf(store)[3] ?? 0;
    const [one, two] = [await fork(FIRST, at, makeId), await fork(FIRST, at, makeId)];
    const [first, second] = [bytesOf(store, one), bytesOf(store, two)].map((bytes) => bytes.toString().split('\n'));
    expect(first?.slice(0, -2)).toEqual(second?.slice(0, -2));
    expect(JSON.parse(first?.at(-2) ?? '')).toMatchObject({ type: 'session.fork', id: one });
    expect(JSON.parse(second?.at(-2) ?? '')).toMatchObject({ type: 'session.fork', id: two });
  });

  it('makes the right tree: twice at one turn, of a fork, at an inherited turn, after a removal', async () => {
    const makeId = countIds();
    const ends = endsOf(store);
    const c1 = await fork(FIRST, ends[2], makeId);
    const c2 = await fork(FIRST, ends[2], makeId);
    const c3 = await fork(c1, ends[1], makeId);
    const owner = await ownOf(store, c3);
    await owner.append(buildTurn({}, 20), { durable: true });
    owner.close();
    const c4 = await fork(c3, undefined, makeId);
    expect(await store.remove(c1)).toBeNull();
    const c5 = await fork(FIRST, ends[4], makeId);
    const parents = [c2, c3, c4, c5].map((id) => store.read(id)?.readOutline().heads.at(-1)?.fork?.parent);
    expect(parents).toEqual([FIRST, c1, c3, FIRST]);
    expect(bytesOf(store, c4).subarray(0, bytesOf(store, c3).length)).toEqual(bytesOf(store, c3));
  });

  it('has an index for its last segment when it is taken at the end, as the segment itself says', async () => {
    const child = await fork(FIRST, undefined, countIds());
    const outline = openFileStore({ home, now: () => 0 })
      .read(child)
      ?.readOutline();
    const byBytes = store.read(child)?.readOutline({ full: true });
    expect(outline?.heads).toEqual(byBytes?.heads);
    const last = (byBytes?.heads.length ?? 0) - 1;
    expect(outline?.readDetail(last)).toEqual(byBytes?.readDetail(last));
    expect(readdirSync(store.pathsOf(child).log).filter((name) => name.endsWith('.idx'))).toHaveLength(last + 1);
  });

  it('copies where links cannot go, and gives the copies indexes of their own', async () => {
    const { linkSync } = fs;
    fs.linkSync = () => {
      throw Object.assign(new Error('no links here'), { code: 'EXDEV' });
    };
    syncBuiltinESMExports();
    const child = await fork(FIRST, undefined, countIds()).finally(() => {
      fs.linkSync = linkSync;
      syncBuiltinESMExports();
    });
    expect(bytesOf(store, child).subarray(0, bytesOf(store, FIRST).length)).toEqual(bytesOf(store, FIRST));
    expect(segmentsOf(store, child).every((path) => lstatSync(path).nlink === 1)).toBe(true);
    const { calls } = await runWithFault(null, async () => store.read(child)?.readOutline());
    expect(calls.filter((name) => name === 'openSync').length).toBe(0);
  });

  it('reads no more of a long session than of a short one', async () => {
    const counts: number[] = [];
    for (const turns of [10, 40]) {
      const long = openTestStore(makeHome(), 2_000);
      await makeSession(long, turns);
      await forkSession({ store: long, makeId: countIds() }, FIRST, {});
      const { calls } = await runWithFault(null, () => forkSession({ store: long, makeId: countIds(200) }, FIRST, {}));
      counts.push(calls.filter((name) => name.startsWith('read') && name !== 'readdirSync').length);
      expect(calls.filter((name) => name === 'linkSync').length).toBe(2 * (segmentsOf(long).length - 1));
    }
    expect(counts[0]).toBe(counts[1]);
  });
});
