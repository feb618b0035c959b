import { createHash } from 'node:crypto';
import { appendFileSync, chmodSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { forkSession } from '@ramet/runtime/fork';
import type { FileStore } from '@ramet/runtime/store';
import { auditStore, buildTurn } from '@ramet/testkit';
import { countIds, ownOf } from '@ramet/testkit/store-contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { endsOf, expectDone, FIRST, makeHome, makeSession, openTestStore, readLog, segmentsOf } from './helpers.ts';

let home: string;
let store: FileStore;
let last: string;
let whole: Buffer;

beforeEach(async () => {
  home = makeHome();
  store = openTestStore(home, 2_000);
  await makeSession(store, 5);
  last = segmentsOf(store).at(-1) ?? '';
  whole = readLog(store);
});

function linesOf(log: Buffer): readonly Record<string, unknown>[] {
  const text = log.toString();
  expect(text.endsWith('\n')).toBe(true);
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('a torn tail', () => {
  it('is repaired once, at every byte of the last line', async () => {
    const bytes = readFileSync(last);
    const lineStart = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1;
    const sealed = whole.length - bytes.length;
    for (let cut = bytes.length; cut >= lineStart; cut -= 1) {
      writeFileSync(last, bytes.subarray(0, cut));
      const end = bytes.subarray(0, cut).lastIndexOf(0x0a) + 1;
      // The cut just before a newline leaves a complete line.
      const kept = cut !== end && bytes[cut] === 0x0a;
      const owner = await ownOf(store, FIRST);
      expect(owner.repaired).toBe(cut !== end);
      await owner.append(buildTurn({}, 9), { durable: false });
      owner.close();
      const log = readLog(store);
      const good = sealed + (kept ? cut + 1 : end);
      expect(log.subarray(0, good)).toEqual(whole.subarray(0, good));
      const added = linesOf(log.subarray(good));
      const repair = { type: 'log.repair', kept, droppedBytes: kept ? 0 : cut - end };
      expect(added.filter((event) => event.type === 'log.repair')).toMatchObject(cut === end ? [] : [repair]);
      if (cut !== end) expect(added[0]).toMatchObject(repair);
      expect(store.read(FIRST)?.readOutline({ full: true })).toMatchObject({ damage: null, tornBytes: 0 });
    }
    expect(auditStore(home).filter(({ rule }) => rule !== 'L17' && rule !== 'L18' && rule !== 'L19')).toEqual([]);
  });

  it('is no event for readers, and no hindrance for a fork before it', async () => {
    const ends = endsOf(store);
    truncateSync(last, statSync(last).size - 10);
    const outline = store.read(FIRST)?.readOutline();
    expect(outline?.damage).toBeNull();
    expect(outline?.tornBytes).toBeGreaterThan(10);
    expect(endsOf(store)).toEqual(ends.slice(0, -1));
    const before = readLog(store);
    for (const at of ends.slice(0, -1)) {
      const fork = expectDone(await forkSession({ store, makeId: countIds(100 + at) }, FIRST, { at }));
      const child = readLog(store, fork.session ?? FIRST);
      expect(child.subarray(0, child.indexOf(Buffer.from('"type":"session.fork"')) - 200)).toEqual(
        whole.subarray(0, child.indexOf(Buffer.from('"type":"session.fork"')) - 200),
      );
    }
    expect(readLog(store)).toEqual(before);
    expect(auditStore(home)).toEqual([]);
  });

  it('longer than any line is dropped too', async () => {
    appendFileSync(last, Buffer.alloc(3_000_000));
    expect(store.read(FIRST)?.readOutline()).toMatchObject({ damage: null, tornBytes: 3_000_000 });
    const owner = await ownOf(store, FIRST);
    owner.close();
    const log = readLog(store);
    expect(log.subarray(0, whole.length)).toEqual(whole);
    expect(linesOf(log.subarray(whole.length))).toMatchObject([
      { type: 'log.repair', kept: false, droppedBytes: 3_000_000 },
    ]);
    expect(auditStore(home)).toEqual([]);
  });

  it('whose repair was itself cut off is repaired again', async () => {
    const bytes = readFileSync(last);
    const torn = bytes.subarray(0, bytes.length - 20);
    writeFileSync(last, torn);
    (await ownOf(store, FIRST)).close();
    const repaired = readFileSync(last);
    const end = torn.lastIndexOf(0x0a) + 1;
    for (let written = 1; written < repaired.length - end; written += 3) {
      // The repair overwrites the torn bytes: what a kill leaves is a mix of both.
      const mixed = Buffer.from(torn);
      const part = repaired.subarray(end, end + written);
      const state = Buffer.concat([mixed.subarray(0, end), part, mixed.subarray(end + written)]);
      writeFileSync(last, state);
      const owner = await ownOf(store, FIRST);
      owner.close();
      const added = linesOf(readFileSync(last).subarray(end));
      expect(added.every((event) => event.type === 'log.repair')).toBe(true);
      expect(store.read(FIRST)?.readOutline({ full: true })).toMatchObject({ damage: null, tornBytes: 0 });
    }
  });

  it('of a sealed last segment is not repaired in place: relatives may hold the file', async () => {
    const bytes = readFileSync(last);
    writeFileSync(last, bytes.subarray(0, -5));
    chmodSync(last, 0o400);
    await expect(store.own(FIRST)).rejects.toMatchObject({ code: 'log_damaged' });
    expect(readFileSync(last)).toEqual(bytes.subarray(0, -5));
    expect(store.ownerOf(FIRST)).toBeNull();
  });
});

describe('damage', () => {
  const damages: Readonly<Record<string, (bytes: Buffer, at: number) => Buffer>> = {
    'twenty bytes are cut out of a line': (bytes, at) =>
      Buffer.concat([bytes.subarray(0, at + 30), bytes.subarray(at + 50)]),
    'a line is missing': (bytes, at) =>
      Buffer.concat([bytes.subarray(0, at), bytes.subarray(bytes.indexOf(0x0a, at) + 1)]),
    'a line is there twice': (bytes, at) =>
      Buffer.concat([bytes.subarray(0, bytes.indexOf(0x0a, at) + 1), bytes.subarray(at)]),
    'a line is no UTF-8': (bytes, at) => {
      const copy = Buffer.from(bytes);
      copy[bytes.indexOf('prompt', at)] = 0xff;
      return copy;
    },
    'an empty line lies between': (bytes, at) =>
      Buffer.concat([bytes.subarray(0, at), Buffer.from('\n'), bytes.subarray(at)]),
    'a line is longer than a line may be': (bytes, at) =>
      Buffer.concat([bytes.subarray(0, at), Buffer.from(`{"x":"${'y'.repeat(1_500_000)}"}\n`), bytes.subarray(at)]),
  };
  for (const [what, damage] of Object.entries(damages)) {
    it(`in the middle is named and stops what lies after it, when ${what}`, async () => {
      const spoiled = openTestStore(makeHome());
      await makeSession(spoiled, 6);
      const [segment = ''] = segmentsOf(spoiled);
      const bytes = readFileSync(segment);
      const ends = endsOf(spoiled);
      const third = bytes.indexOf('prompt 4');
      const at = bytes.lastIndexOf(0x0a, third) + 1;
      const line = bytes.subarray(0, at).toString().split('\n').length;
      writeFileSync(segment, damage(bytes, at));
      const before = readFileSync(segment);
      const times = statSync(segment).mtimeMs;
      const found = spoiled.read(FIRST)?.readOutline().damage;
      expect(found).toMatchObject({ segment: '000000000000.jsonl' });
      // Of a changed line the next one tells as well, when the line itself still reads as one that follows.
      expect([line, line + 1]).toContain(found?.line);
      if (found?.line === line) expect(found).toMatchObject({ byte: at, offset: line - 1 });
      expect(spoiled.read(FIRST)?.readOutline({ full: true }).damage).toEqual(found);
      const context = { store: spoiled, makeId: countIds() };
      expect(await forkSession(context, FIRST, {})).toMatchObject({ code: 'log_damaged', data: { damage: found } });
      expect(await forkSession(context, FIRST, { at: ends[4] ?? 0 })).toMatchObject({ code: 'log_damaged' });
      expect(await spoiled.own(FIRST)).toMatchObject({ code: 'log_damaged', data: { damage: found } });
      expect(() => [...(spoiled.read(FIRST)?.readEvents() ?? [])]).toThrow(
        expect.objectContaining({ code: 'log_damaged' }),
      );
      expect(() => [...(spoiled.read(FIRST)?.readBytes() ?? [])]).toThrow(
        expect.objectContaining({ code: 'log_damaged' }),
      );
      for (let time = 0; time < 2; time += 1) {
        const fork = expectDone(await forkSession(context, FIRST, { at: ends[1] ?? 0 }));
        expect(fork.forkedFrom.id).toBe(FIRST);
      }
      expect([...(spoiled.read(FIRST)?.readEvents({ to: ends[1] ?? 0 }) ?? [])]).toHaveLength((ends[1] ?? 0) + 1);
      expect(readFileSync(segment)).toEqual(before);
      expect(statSync(segment).mtimeMs).toBe(times);
    });
  }

  it('of a missing segment, or of none at all, is named', async () => {
    rmSync(segmentsOf(store)[1] ?? '');
    const found = store.read(FIRST)?.readOutline().damage;
    expect(found).toMatchObject({ expected: expect.stringContaining('a segment named'), byte: 0 });
    expect(await store.own(FIRST)).toMatchObject({ code: 'log_damaged' });
    for (const segment of segmentsOf(store)) rmSync(segment);
    expect(store.read(FIRST)?.readOutline().damage).toMatchObject({ found: 'no segment at all' });
    expect(await forkSession({ store, makeId: countIds() }, FIRST, {})).toMatchObject({ code: 'log_damaged' });
  });

  it('before a child’s own fork event does not give it another parent’s name', async () => {
    const fork = expectDone(await forkSession({ store: openTestStore(home), makeId: countIds() }, FIRST, {}));
    const child = fork.session ?? FIRST;
    const tail = segmentsOf(store, child).at(-1) ?? '';
    const bytes = readFileSync(tail);
    bytes[bytes.length - 30] = 0xff;
    writeFileSync(tail, bytes);
    const [first = 0] = endsOf(store);
    const again = expectDone(await forkSession({ store, makeId: countIds(200) }, child, { at: first }));
    expect(again.forkedFrom.id).toBe(child);
  });
});

describe('events of another version', () => {
  it('are kept, carried by forks and skipped', async () => {
    const owner = await ownOf(store, FIRST);
    await owner.append(buildTurn({}, 6), { durable: true });
    owner.close();
    const bytes = readFileSync(segmentsOf(store).at(-1) ?? '');
    const event = JSON.parse(bytes.toString().trimEnd().split('\n').at(-1) ?? '') as { seq: number };
    const prev = createHash('sha256')
      .update(bytes.toString().trimEnd().split('\n').at(-1) ?? '')
      .digest('hex');
    const foreign = `{"seq":${event.seq + 1},"prev":"${prev}","time":"2030-01-01T00:00:00.000Z","type":"future.thing","new":{"a":[1]},"z":1e2}\n`;
    appendFileSync(segmentsOf(store).at(-1) ?? '', foreign);
    const again = await ownOf(store, FIRST);
    await again.append(buildTurn({}, 7), { durable: true });
    again.close();
    const fork = expectDone(await forkSession({ store, makeId: countIds() }, FIRST, {}));
    expect(readLog(store, fork.session ?? FIRST).toString()).toContain(foreign);
    expect(auditStore(home)).toEqual([]);
  });
});
