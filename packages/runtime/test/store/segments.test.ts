import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { deriveSessionOverview, isRefusal } from '@ramet/core';
import { forkSession } from '@ramet/runtime/fork';
import { type FileStore, openFileStore } from '@ramet/runtime/store';
import { auditStore, buildTurn, makeTestId } from '@ramet/testkit';
import { countIds, ownOf } from '@ramet/testkit/store-contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  endsOf,
  expectDone,
  FIRST,
  idxOf,
  makeHome,
  makeSession,
  openTestStore,
  readLog,
  segmentsOf,
} from './helpers.ts';

let home: string;
let store: FileStore;

beforeEach(async () => {
  home = makeHome();
  store = openTestStore(home, 2_000);
  await makeSession(store, 8);
});

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

/** A store whose process believed nothing yet. */
function readFresh(): ReturnType<FileStore['read']> {
  return openFileStore({ home, now: () => 0 }).read(FIRST);
}

describe('segments', () => {
  afterEach(() => expect(auditStore(home)).toEqual([]));

  it('are named by their first offset, and all but the last are sealed', () => {
    const segments = segmentsOf(store);
    expect(segments.length).toBeGreaterThan(2);
    let offset = 0;
    for (const path of segments) {
      expect(path).toBe(join(store.pathsOf(FIRST).log, `${String(offset).padStart(12, '0')}.jsonl`));
      offset += readFileSync(path, 'utf8').split('\n').length - 1;
      expect(modeOf(path)).toBe(path === segments.at(-1) ? 0o600 : 0o400);
    }
  });

  it('are sealed before the next line, not after the last', async () => {
    const owner = await ownOf(store, FIRST);
    while (statSync(segmentsOf(store).at(-1) ?? '').size <= 2_000) {
      await owner.append([{ type: 'session.title', title: 'x'.repeat(300) }], { durable: false });
    }
    const before = segmentsOf(store).length;
    owner.close();
    const again = await ownOf(store, FIRST);
    expect(segmentsOf(store)).toHaveLength(before);
    await again.append([{ type: 'session.title', title: 'next' }], { durable: true });
    expect(segmentsOf(store)).toHaveLength(before + 1);
    again.close();
  });

  it('have the same outline by their indexes as by their bytes', () => {
    const byIndex = readFresh()?.readOutline();
    const byBytes = readFresh()?.readOutline({ full: true });
    expect(byIndex?.heads).toEqual(byBytes?.heads);
    const details = (outline: typeof byBytes) => outline?.heads.map((_, index) => outline.readDetail(index));
    expect(details(byIndex)).toEqual(details(byBytes));
    expect(deriveSessionOverview(byIndex?.heads ?? [])).toEqual(deriveSessionOverview(byBytes?.heads ?? []));
  });

  it('appended to concurrently never hold a line after their seal', async () => {
    const owner = await ownOf(store, FIRST);
    const appends = Array.from({ length: 60 }, (_, index) =>
      owner.append([{ type: 'session.title', title: `${index} ${'y'.repeat(200)}` }], { durable: index % 2 === 0 }),
    );
    await Promise.all(appends);
    owner.close();
    expect(readFresh()?.readOutline({ full: true }).damage).toBeNull();
  });

  it('may end with an empty one', async () => {
    const last = segmentsOf(store).at(-1) ?? '';
    const { next } = await ownOf(store, FIRST).then((owner) => {
      owner.close();
      return owner;
    });
    chmodSync(last, 0o400);
    writeFileSync(join(store.pathsOf(FIRST).log, `${String(next).padStart(12, '0')}.jsonl`), '', { mode: 0o600 });
    expect(readFresh()?.readOutline()).toMatchObject({ damage: null, tornBytes: 0 });
    const fork = expectDone(await forkSession({ store, makeId: countIds() }, FIRST, {}));
    expect(fork.forkedFrom.offset).toBe(next - 1);
    const owner = await ownOf(store, FIRST);
    expect(owner.next).toBe(next);
    await owner.append(buildTurn({}, 9), { durable: true });
    owner.close();
  });

  it('may end with a sealed one, whose owner died before it made the next', async () => {
    const last = segmentsOf(store).at(-1) ?? '';
    chmodSync(last, 0o400);
    rmSync(idxOf(last));
    const size = statSync(last).size;
    const fork = expectDone(await forkSession({ store, makeId: countIds() }, FIRST, {}));
    expect(fork.bytes.own).toBeGreaterThan(size);
    const owner = await ownOf(store, FIRST);
    await owner.append(buildTurn({}, 9), { durable: true });
    owner.close();
    expect(statSync(last).size).toBe(size);
    expect(existsSync(idxOf(last))).toBe(true);
    expect(statSync(last).nlink).toBe(1);
  });
});

describe('indexes', () => {
  const spoilings: Readonly<Record<string, (idx: string) => void>> = {
    'is missing': (idx) => rmSync(idx),
    'is empty': (idx) => writeFileSync(idx, ''),
    'holds zeros': (idx) => writeFileSync(idx, Buffer.alloc(statSync(idx).size)),
    'is cut off in its first line': (idx) => writeFileSync(idx, readFileSync(idx).subarray(0, 50)),
    'is cut off in its second line': (idx) => writeFileSync(idx, readFileSync(idx).subarray(0, -40)),
    'says another count': (idx) => writeFileSync(idx, readFileSync(idx, 'utf8').replace(/"count":\d/, '"count":9')),
    'says another boundary': (idx) =>
      writeFileSync(idx, readFileSync(idx, 'utf8').replace('"boundaries":[{"offset":', '"boundaries":[{"offset":1')),
    'has another format': (idx) => writeFileSync(idx, readFileSync(idx, 'utf8').replace('"format":3', '"format":9')),
    'is text': (idx) => writeFileSync(idx, 'not an index\nat all\n'),
    'is that of another segment': (idx) => writeFileSync(idx, readFileSync(idxOf(segmentsOf(store)[1] ?? ''))),
  };
  for (const [what, spoil] of Object.entries(spoilings)) {
    it(`are derived again by readers and written again by the owner when one ${what}`, async () => {
      const segment = segmentsOf(store)[0] ?? '';
      const before = readFresh()?.readOutline({ full: true });
      spoil(idxOf(segment));
      // A segment of a time nobody has seen: nothing is known of it in this process either.
      utimesSync(segment, 1_000, 1_000 + Math.random());
      const files = [existsSync(idxOf(segment)), existsSync(idxOf(segment)) && readFileSync(idxOf(segment), 'utf8')];
      const outline = readFresh()?.readOutline();
      expect(outline?.heads).toEqual(before?.heads);
      expect(outline?.readDetail(0)).toEqual(before?.readDetail(0));
      const fork = expectDone(await forkSession({ store, makeId: countIds() }, FIRST, { at: endsOf(store)[0] ?? 0 }));
      expect(fork.session).not.toBeNull();
      expect([existsSync(idxOf(segment)), existsSync(idxOf(segment)) && readFileSync(idxOf(segment), 'utf8')]).toEqual(
        files,
      );
      (await ownOf(store, FIRST)).close();
      const [first, second] = readFileSync(idxOf(segment), 'utf8').split('\n');
      expect(JSON.parse(first ?? '').head).toEqual(before?.heads[0]);
      expect(JSON.parse(second ?? '')).toEqual(before?.readDetail(0));
      expect(auditStore(home)).toEqual([]);
    });
  }

  it('whose detail breaks after its head was believed give the detail from the segment', () => {
    const before = store.read(FIRST)?.readOutline({ full: true });
    for (const segment of segmentsOf(store)) {
      // With a detail that this process has not read.
      utimesSync(segment, 1_000, 1_000 + Math.random());
      const { mtimeNs } = statSync(segment, { bigint: true });
      rewriteIndex(idxOf(segment), (first) => {
        const head = { ...(first.head as object), schema: 77 };
        return { ...first, head, mtimeNs: String(mtimeNs), detail: '0'.repeat(64) };
      });
    }
    const outline = store.read(FIRST)?.readOutline();
    expect(outline?.heads.map(({ schema }) => schema)).toEqual(before?.heads.map(() => 77));
    expect(outline?.heads.map((_, index) => outline.readDetail(index))).toEqual(
      before?.heads.map((_, index) => before.readDetail(index)),
    );
  });

  it('whose detail was read in this process are not read for it again', () => {
    const [segment = ''] = segmentsOf(store);
    const detail = store.read(FIRST)?.readOutline().readDetail(0);
    writeFileSync(idxOf(segment), `${readFileSync(idxOf(segment), 'utf8').split('\n')[0]}\nbroken\n`);
    expect(store.read(FIRST)?.readOutline().readDetail(0)).toBe(detail);
  });

  it('of another format are not believed, though their sums hold', () => {
    const segment = segmentsOf(store)[0] ?? '';
    const before = readFresh()?.readOutline({ full: true }).heads;
    const claim = (schema: number) => (first: Record<string, unknown>) => {
      return { ...first, head: { ...(first.head as object), schema } };
    };
    const readHead = (format: number, schema: number) => {
      utimesSync(segment, 1_000, 1_000 + schema);
      const { mtimeNs } = statSync(segment, { bigint: true });
      rewriteIndex(idxOf(segment), (first) => ({ ...claim(schema)(first), mtimeNs: String(mtimeNs) }), format);
      return readFresh()?.readOutline().heads[0];
    };
    expect(readHead(3, 77)?.schema).toBe(77);
    expect(readHead(2, 78)).toEqual(before?.[0]);
  });

  it('of the last segment hold only until somebody appends', async () => {
    const last = segmentsOf(store).at(-1) ?? '';
    const [first] = readFileSync(idxOf(last), 'utf8').split('\n');
    expect(JSON.parse(first ?? '').head.bytes).toBe(statSync(last).size);
    const owner = await ownOf(store, FIRST);
    await owner.append([{ type: 'session.title', title: 'newer' }], { durable: false });
    expect(deriveSessionOverview(readFresh()?.readOutline().heads ?? [])?.title).toBe('newer');
    owner.close();
    expect(deriveSessionOverview(readFresh()?.readOutline().heads ?? [])?.title).toBe('newer');
  });

  it('are not needed to write: an owner works where none can be written', async () => {
    const owner = await ownOf(store, FIRST);
    for (let turn = 9; turn < 14; turn += 1) await owner.append(buildTurn({}, turn), { durable: true });
    owner.close();
    for (const segment of segmentsOf(store)) rmSync(idxOf(segment), { force: true });
    expect(readFresh()?.readOutline().damage).toBeNull();
    const fork = expectDone(await forkSession({ store, makeId: countIds() }, FIRST, {}));
    const child = segmentsOf(store, fork.session ?? makeTestId(0));
    expect(child.slice(0, -1).every((path) => existsSync(idxOf(path)))).toBe(true);
    expect(auditStore(home)).toEqual([]);
  });
});

describe('a change to a sealed segment', () => {
  function flip(path: string, at: number): void {
    const times = statSync(path);
    chmodSync(path, 0o600);
    const fd = openSync(path, 'r+');
    writeSync(fd, Buffer.from([(readFileSync(path)[at] ?? 0) ^ 1]), 0, 1, at);
    closeSync(fd);
    chmodSync(path, 0o400);
    expect(statSync(path).size).toBe(times.size);
  }

  it('made by a write is found by a fork, by the owner and by a list', async () => {
    const segment = segmentsOf(store)[1] ?? '';
    flip(segment, 300);
    const answers = [await forkSession({ store, makeId: countIds() }, FIRST, {}), await store.own(FIRST)];
    for (const answer of answers) {
      expect(answer).toMatchObject({ code: 'log_damaged', data: { damage: { segment: segment.split('/').at(-1) } } });
    }
    expect(readFresh()?.readOutline().damage).not.toBeNull();
    expect(store.listRuns()).toEqual([FIRST]);
  });

  it('made without one, as by a bad disk, is found by reading it all', async () => {
    const segment = segmentsOf(store)[1] ?? '';
    const { atime, mtimeNs } = statSync(segment, { bigint: true });
    flip(segment, 300);
    // Node sets times to the microsecond: the index is made to name that time, as if the write had never been.
    utimesSync(segment, atime, Number(mtimeNs / 1000n) / 1e6);
    const idx = idxOf(segment);
    const { head } = JSON.parse(readFileSync(idx, 'utf8').split('\n')[0] ?? '');
    const now = statSync(segment, { bigint: true }).mtimeNs;
    rewriteIndex(idx, (first) => ({ ...first, mtimeNs: String(now) }));
    expect(readFresh()?.readOutline().heads[1]).toEqual(head);
    expect(readFresh()?.readOutline().damage).toBeNull();
    const { damage } = readFresh()?.readOutline({ full: true }) ?? {};
    expect(damage).toMatchObject({ segment: segment.split('/').at(-1) });
    expect(damage?.byte).toBeLessThanOrEqual(readFileSync(segment).indexOf(0x0a, 300) + 1);
  });

  it('in the very last line, which no line after it vouches for, is found by what its index says', () => {
    const segment = segmentsOf(store).at(-1) ?? '';
    const { atime, mtimeNs } = statSync(segment, { bigint: true });
    const bytes = readFileSync(segment);
    const start = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1;
    // A digit of the time: the line still is JSON and follows the chain.
    flip(segment, bytes.indexOf('"time":"', start) + 8);
    utimesSync(segment, atime, Number(mtimeNs / 1000n) / 1e6);
    const now = statSync(segment, { bigint: true }).mtimeNs;
    rewriteIndex(idxOf(segment), (first) => ({ ...first, mtimeNs: String(now) }));
    const { damage, heads } = readFresh()?.readOutline({ full: true }) ?? { damage: null, heads: [] };
    const last = heads.at(-1);
    expect(damage).toMatchObject({ byte: start, offset: (last?.first ?? 0) + (last?.count ?? 0) - 1 });
  });

  it('that grows it is found though its time is put back', async () => {
    const segment = segmentsOf(store)[0] ?? '';
    const { atime, mtime } = statSync(segment);
    chmodSync(segment, 0o600);
    appendFileSync(segment, '{}\n');
    chmodSync(segment, 0o400);
    utimesSync(segment, atime, mtime);
    expect(isRefusal(await forkSession({ store, makeId: countIds() }, FIRST, {}))).toBe(true);
  });

  it('of its times alone changes nothing', async () => {
    const before = readLog(store);
    for (const segment of segmentsOf(store)) utimesSync(segment, 1, 1);
    const fork = expectDone(await forkSession({ store, makeId: countIds() }, FIRST, {}));
    const child = readLog(store, fork.session ?? FIRST);
    expect(child.subarray(0, before.length)).toEqual(before);
    expect(auditStore(home)).toEqual([]);
  });
});

function rewriteIndex(
  path: string,
  change: (first: Record<string, unknown>) => Record<string, unknown>,
  format = 3,
): void {
  const [line = '', second = ''] = readFileSync(path, 'utf8').split('\n');
  const { format: _format, sum: _sum, ...first } = JSON.parse(line);
  const body = JSON.stringify(change(first)).slice(1);
  writeFileSync(path, `{"format":${format},"sum":"${digestOf(body)}",${body}\n${second}\n`);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
