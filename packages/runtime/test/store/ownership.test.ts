import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parseRunId } from '@ramet/core';
import { forkSession } from '@ramet/runtime/fork';
import { acquireLock, type FileStore } from '@ramet/runtime/store';
import { auditStore, buildTurn, makeTestId } from '@ramet/testkit';
import { countIds, ownOf, shareOf } from '@ramet/testkit/store-contract';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectDone, FIRST, makeHome, makeSession, openTestStore, readLog, segmentsOf } from './helpers.ts';
import { endActors, returnActors, takeActor } from './processes.ts';

let home: string;
let store: FileStore;

beforeEach(async () => {
  home = makeHome();
  store = openTestStore(home, 2_000);
  await makeSession(store, 4);
});

afterAll(endActors);

afterEach(async () => {
  await returnActors({ home, id: FIRST });
  expect(auditStore(home)).toEqual([]);
});

describe('a run owned by another process', () => {
  it('is refused to owners, sharers, forks and removals, with what is known of the holder', async () => {
    const other = takeActor();
    expect(await other.tell({ home, id: FIRST, act: 'own' })).toBe('done');
    const refusals = [
      await store.own(FIRST),
      await store.share(FIRST),
      await store.remove(FIRST),
      await forkSession({ store, makeId: countIds() }, FIRST, {}),
    ];
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({ code: 'owned_elsewhere', data: { owner: { pid: other.pid, self: false } } });
    }
    expect(store.ownerOf(FIRST)).toMatchObject({ pid: other.pid, self: false });
    expect([...(store.read(FIRST)?.readEvents() ?? [])].length).toBeGreaterThan(0);
    await other.tell({ home, id: FIRST, act: 'close' });
    (await ownOf(store, FIRST)).close();
  });

  it('may be shared with many processes, and owned by none of them', async () => {
    const [first, second] = [takeActor(), takeActor()];
    expect(await first.tell({ home, id: FIRST, act: 'share' })).toBe('done');
    expect(await second.tell({ home, id: FIRST, act: 'share' })).toBe('done');
    const mine = await shareOf(store, FIRST);
    mine.close();
    expect(await store.own(FIRST)).toMatchObject({ code: 'owned_elsewhere' });
    await first.tell({ home, id: FIRST, act: 'close' });
    expect(await store.own(FIRST)).toMatchObject({ code: 'owned_elsewhere' });
    await second.kill();
    (await ownOf(store, FIRST)).close();
  });

  it('is free at once when that process is killed', async () => {
    const other = takeActor();
    await other.tell({ home, id: FIRST, act: 'own' });
    appendFileSync(segmentsOf(store).at(-1) ?? '', '{"seq":');
    await other.kill();
    const owner = await ownOf(store, FIRST);
    expect(owner.repaired).toBe(true);
    await owner.append(buildTurn({}, 5), { durable: true });
    owner.close();
  });

  it('does not lend its lock to a child made after the owner died', async () => {
    const other = takeActor();
    await other.tell({ home, id: FIRST, act: 'own' });
    await other.kill();
    const fork = expectDone(await forkSession({ store, makeId: countIds() }, FIRST, {}));
    const child = fork.session ?? FIRST;
    expect(store.ownerOf(child)).toBeNull();
    expect(readFileSync(store.pathsOf(child).lock, 'utf8')).not.toContain(String(other.pid));
    (await ownOf(store, child)).close();
  });

  it('goes from one to the next without a line lost or twice', async () => {
    const all = [takeActor(), takeActor(), takeActor()];
    const watcher = takeActor();
    const watching = watcher.tell({ home, id: FIRST, act: 'probe and read, again and again' });
    const before = readLog(store);
    let turns = 0;
    for (let round = 0; round < 12; round += 1) {
      const answers = await Promise.all(all.map((each) => each.tell({ home, id: FIRST, act: 'own and append' })));
      for (const answer of answers) {
        if (typeof answer === 'object' && answer !== null && 'repaired' in answer) {
          expect(answer).toEqual({ repaired: false });
          turns += 1;
        } else expect(answer).toMatchObject({ code: 'owned_elsewhere' });
      }
    }
    expect(turns).toBeGreaterThanOrEqual(12);
    await watcher.tell({ home, id: FIRST, act: 'close' });
    expect(await watching).toEqual({ probes: expect.any(Number) });
    const log = readLog(store);
    expect(log.subarray(0, before.length)).toEqual(before);
    const messages = log
      .subarray(before.length)
      .toString()
      .match(/"type":"message"/g);
    expect(messages).toHaveLength(turns);
    expect(store.read(FIRST)?.readOutline({ full: true }).damage).toBeNull();
  });

  it('is never refused to an owner because somebody looks', async () => {
    const watchers = [takeActor(), takeActor()];
    const watching = watchers.map((each) => each.tell({ home, id: FIRST, act: 'probe and read, again and again' }));
    for (let time = 0; time < 25; time += 1) (await ownOf(store, FIRST)).close();
    for (const each of watchers) await each.tell({ home, id: FIRST, act: 'close' });
    expect(await Promise.all(watching)).toEqual([{ probes: expect.any(Number) }, { probes: expect.any(Number) }]);
  });
});

describe('the lock file', () => {
  const contents = [
    '',
    'text',
    '{"pid":1}',
    JSON.stringify({ pid: process.pid, host: 'h', start: 's' }),
    '\u0000'.repeat(5_000),
  ];
  for (const content of contents) {
    it(`means nothing by what is in it: ${JSON.stringify(content.slice(0, 30))}`, async () => {
      writeFileSync(store.pathsOf(FIRST).lock, content);
      expect(store.ownerOf(FIRST)).toBeNull();
      const owner = await ownOf(store, FIRST);
      writeFileSync(store.pathsOf(FIRST).lock, content);
      expect(await store.own(FIRST)).toMatchObject({ code: 'owned_elsewhere' });
      owner.close();
      expectDone(await forkSession({ store, makeId: countIds() }, FIRST, {}));
    });
  }

  it('is written by every owner, and names it alone whatever stood there', async () => {
    const { lock } = store.pathsOf(FIRST);
    (await ownOf(store, FIRST)).close();
    const named = readFileSync(lock, 'utf8');
    utimesSync(lock, 1, 1);
    (await ownOf(store, FIRST)).close();
    expect(statSync(lock).mtimeMs).toBeGreaterThan(1000);
    for (const other of [named.slice(0, -1), `${named}x`]) {
      writeFileSync(lock, other);
      (await ownOf(store, FIRST)).close();
      expect(readFileSync(lock, 'utf8')).toBe(named);
    }
  });

  it('that is gone is made again by whoever needs it', async () => {
    rmSync(store.pathsOf(FIRST).lock);
    expect(store.ownerOf(FIRST)).toBeNull();
    (await shareOf(store, FIRST)).close();
    rmSync(store.pathsOf(FIRST).lock);
    expectDone(await forkSession({ store, makeId: countIds() }, FIRST, {}));
    (await ownOf(store, FIRST)).close();
  });

  it('that is a link is not followed', async () => {
    const { lock } = store.pathsOf(FIRST);
    const canary = join(home, 'canary');
    writeFileSync(canary, 'untouched');
    rmSync(lock);
    symlinkSync(canary, lock);
    await expect(store.own(FIRST)).rejects.toMatchObject({ code: 'disk_failed' });
    expect(readFileSync(canary, 'utf8')).toBe('untouched');
    rmSync(lock);
    (await ownOf(store, FIRST)).close();
  });

  it('of a removed run is not the lock of one that came after it', async () => {
    const { lock } = store.pathsOf(FIRST);
    const waiting = acquireLock(lock, 'exclusive');
    const held = await waiting;
    // Removed and made again while somebody still holds the old file.
    rmSync(store.pathsOf(FIRST).folder, { recursive: true });
    await makeSession(store, 2);
    const owner = await ownOf(store, FIRST);
    expect(await store.own(FIRST)).toMatchObject({ code: 'owned_elsewhere' });
    held?.release();
    expect(await store.own(FIRST)).toMatchObject({ code: 'owned_elsewhere' });
    owner.close();
  });
});

describe('an idempotency key', () => {
  it('used by eight processes at once makes one child', async () => {
    const all = Array.from({ length: 8 }, () => takeActor());
    const answers = await Promise.all(all.map((each) => each.tell({ home, id: FIRST, act: 'fork', key: 'k' })));
    const sessions = new Set(answers.map((answer) => (answer as { session: string }).session));
    expect(sessions.size).toBe(1);
    expect(store.listRuns()).toHaveLength(2);
    expect(readdirSync(store.layout.staging)).toEqual([]);
    expect(answers.filter((answer) => (answer as { repeated: boolean }).repeated)).toHaveLength(7);
  });

  it('whose builder was killed before the rename makes that very child, for two who retry at once', async () => {
    const dying = takeActor();
    const died = await dying.tell({ home, id: FIRST, act: 'fork and die before the rename', key: 'k' });
    expect(died).toEqual({ died: 'SIGKILL' });
    const [bound] = readdirSync(store.layout.staging);
    expect(parseRunId(bound)).not.toBeNull();
    expect(store.listRuns()).toEqual([FIRST]);
    const two = [takeActor(), takeActor()];
    const answers = await Promise.all(two.map((each) => each.tell({ home, id: FIRST, act: 'fork', key: 'k' })));
    expect(answers).toMatchObject([{ session: bound }, { session: bound }]);
    expect([...store.listRuns()].sort()).toEqual([FIRST, bound].sort());
    expect(readdirSync(store.layout.staging)).toEqual([]);
    expect(readdirSync(store.layout.keys)).toHaveLength(1);
  });

  it('of a child that is there still answers though a removal was cut off after retiring it', async () => {
    const context = { store, makeId: countIds() };
    const child = expectDone(await forkSession(context, FIRST, { idempotencyKey: 'k' })).session;
    const [hash = ''] = readdirSync(store.layout.keys);
    store.retireKey(hash);
    expect(await forkSession(context, FIRST, { idempotencyKey: 'k' })).toMatchObject({
      session: child,
      repeated: true,
    });
  });

  it('of a removed child whose log was damaged is retired all the same', async () => {
    const context = { store, makeId: countIds() };
    const child = expectDone(await forkSession(context, FIRST, { idempotencyKey: 'k' })).session ?? FIRST;
    writeFileSync(segmentsOf(store, child).at(-1) ?? '', 'nonsense\n');
    expect(await store.remove(child)).toBeNull();
    expect(await forkSession(context, FIRST, { idempotencyKey: 'k' })).toMatchObject({ code: 'child_removed' });
    expect(readdirSync(store.layout.staging)).toEqual([]);
  });
});

describe('staging', () => {
  it('of a killed process is swept by the next, and that of a living one is not', async () => {
    const [dead, living] = [takeActor(), takeActor()];
    const [one, two] = [makeTestId(0x51), makeTestId(0x52)];
    await dead.tell({ home, id: one, act: 'stage and hold' });
    await living.tell({ home, id: two, act: 'stage and hold' });
    await dead.kill();
    expect(store.isStaged(one)).toBe(false);
    expect(store.isStaged(two)).toBe(true);
    expectDone(await forkSession({ store, makeId: countIds() }, FIRST, {}));
    expect(readdirSync(store.layout.staging)).toEqual([two]);
    expect(() => store.stage(two)).toThrow(expect.objectContaining({ code: 'owned_elsewhere' }));
    await living.kill();
    store.stage(two).discard();
    expect(readdirSync(store.layout.staging)).toEqual([]);
  });

  it('by several processes at once is not disturbed by their sweeps', async () => {
    const all = Array.from({ length: 4 }, () => takeActor());
    const answers = await Promise.all(
      all.map((each) => each.tell({ home, id: FIRST, act: 'stage and discard, again and again', times: 40 })),
    );
    expect(answers).toEqual(['done', 'done', 'done', 'done']);
    expect(store.listRuns()).toHaveLength(1 + 4 * 20);
    expect(readdirSync(store.layout.staging)).toEqual([]);
  });

  it('is swept of what crashed removals and strangers left', async () => {
    const { staging } = store.layout;
    mkdirSync(join(staging, `${FIRST}.x.removed`, 'log'), { recursive: true });
    mkdirSync(join(staging, makeTestId(0x61)));
    mkdirSync(join(staging, 'strange'));
    writeFileSync(join(staging, 'file'), '');
    writeFileSync(join(staging, makeTestId(0x62)), '');
    const outside = join(home, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'canary'), '');
    symlinkSync(outside, join(staging, makeTestId(0x63)));
    symlinkSync(outside, join(staging, 'link'));
    store.stage(makeTestId(0x64)).discard();
    expect(readdirSync(staging)).toEqual([]);
    expect(readdirSync(outside)).toEqual(['canary']);
  });
});
