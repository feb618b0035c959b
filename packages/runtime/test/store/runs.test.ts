/** Logs of graph runs on a disk: event 0 alone in its segment, the chain of forked runs, and what a crash leaves of both. */
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { CHAIN_START, type EncodedLine, type RunId } from '@ramet/core';
import type { FileStore, LogDamage } from '@ramet/runtime/store';
import {
  auditStore,
  buildNode,
  buildRun,
  buildRunFork,
  buildRunStart,
  buildSession,
  encodeLog,
  entriesOf,
  makeTestId,
  outlineLog,
  runLog,
  sha256,
  writeLogFolder,
} from '@ramet/testkit';
import { commitChild, commitRun, entersOf, eventsOf, planNodes, stageChild } from '@ramet/testkit/run-acts';
import { bytesOf, ownOf } from '@ramet/testkit/store-contract';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectDone, FIRST, idxOf, makeHome, openTestStore, readLog, SECOND, segmentsOf } from './helpers.ts';

let home: string;
let store: FileStore;
/** Whether the auditor is expected to find nothing. */
let sound: boolean;

beforeEach(() => {
  home = makeHome();
  store = openTestStore(home, 1_500);
  sound = true;
});

afterEach(() => {
  if (sound) expect(auditStore(home)).toEqual([]);
});

/** A run whose nodes are appended by an owner, so that segments are sealed on the way. */
async function makeRun(nodes: number, id: RunId = FIRST): Promise<void> {
  const staged = store.stage(id);
  staged.append([buildRunStart({ id })]);
  await staged.commit();
  await appendNodes(id, nodes);
}

async function appendNodes(id: RunId, count: number, from = 0): Promise<void> {
  const owner = await ownOf(store, id);
  for (const node of planNodes(count, from)) await owner.append(buildNode(node), { durable: true });
  owner.close();
}

function modesOf(id: RunId = FIRST): readonly (readonly [string, number])[] {
  return segmentsOf(store, id).map((path) => [path.slice(-18), lstatSync(path).mode & 0o777] as const);
}

function damageOf(id: RunId = FIRST, full = true): LogDamage | null | undefined {
  return store.read(id)?.readOutline({ full }).damage;
}

/** Puts lines where a run lies, as some other program might have. */
function writeRun(id: RunId, lines: readonly EncodedLine[]): void {
  rmSync(store.pathsOf(id).log, { recursive: true });
  writeLogFolder(store.pathsOf(id).folder, lines);
}

describe('event 0 of a graph run', () => {
  it('stands alone in its segment, sealed and indexed, from the staging on', async () => {
    await commitRun(store, FIRST);
    expect(modesOf()).toEqual([
      ['000000000000.jsonl', 0o400],
      ['000000000001.jsonl', 0o600],
    ]);
    const [first = '', second = ''] = segmentsOf(store).map((path) => readFileSync(path, 'utf8'));
    expect(
      first
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).type),
    ).toEqual(['graph.start']);
    expect(JSON.parse(second.split('\n')[0] ?? '')).toMatchObject({ seq: 1, prev: sha256(first.trimEnd()) });
    expect(readdirSync(store.pathsOf(FIRST).log).filter((name) => name.endsWith('.idx'))).toHaveLength(2);
  });

  it('of a run with nothing else is followed by an empty segment', async () => {
    const staged = store.stage(FIRST);
    staged.append([buildRunStart({})]);
    await staged.commit();
    expect(modesOf()).toEqual([
      ['000000000000.jsonl', 0o400],
      ['000000000001.jsonl', 0o600],
    ]);
    await appendNodes(FIRST, 1);
    expect(eventsOf(store, FIRST).map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('appended by an owner is sealed before the next event', async () => {
    await store.stage(FIRST).commit();
    const owner = await ownOf(store, FIRST);
    await expect(owner.append(buildRun({ nodes: planNodes(1) }), { durable: true })).rejects.toThrow('alone');
    await owner.append([buildRunStart({})], { durable: true });
    await owner.append(buildNode({ path: 'a0' }), { durable: true });
    owner.close();
    expect(modesOf()).toEqual([
      ['000000000000.jsonl', 0o400],
      ['000000000001.jsonl', 0o600],
    ]);
  });

  it('is read the same with indexes, without them, and by bytes', async () => {
    await makeRun(5);
    const heads = store.read(FIRST)?.readOutline().heads;
    expect(heads?.length).toBeGreaterThan(2);
    expect(store.read(FIRST)?.readOutline({ full: true }).heads).toEqual(heads);
    for (const path of segmentsOf(store)) rmSync(idxOf(path), { force: true });
    expect(store.read(FIRST)?.readOutline().heads).toEqual(heads);
    (await ownOf(store, FIRST)).close();
    expect(readdirSync(store.pathsOf(FIRST).log).filter((name) => name.endsWith('.idx'))).toHaveLength(
      heads?.length ?? 0,
    );
  });

  it('with another line in its segment is damage at that line', async () => {
    sound = false;
    await commitRun(store, FIRST);
    const [first = '', second = ''] = segmentsOf(store);
    const [line = ''] = readFileSync(second, 'utf8').split('\n');
    chmodSync(first, 0o600);
    appendFileSync(first, `${line}\n`);
    const byte = lstatSync(first).size - line.length - 1;
    const place = { segment: '000000000000.jsonl', line: 2, byte, offset: 1, expected: 'event 0 alone' };
    expect(damageOf(FIRST, false)).toMatchObject(place);
    const refusal = await store.own(FIRST);
    expect(refusal).toMatchObject({ code: 'log_damaged', message: expect.stringContaining('neither gone on with') });
  });
});

describe('an owner that died', () => {
  it('between the write of event 0 and its seal is made up for', async () => {
    await commitRun(store, FIRST, []);
    const [first = '', second = ''] = segmentsOf(store);
    rmSync(second);
    rmSync(idxOf(first));
    chmodSync(first, 0o600);
    await appendNodes(FIRST, 2);
    expect(modesOf()[0]).toEqual(['000000000000.jsonl', 0o400]);
    expect(eventsOf(store, FIRST)[1]).toMatchObject({ seq: 1, type: 'node.enter' });
  });

  it('between the seal and the next segment is made up for', async () => {
    await commitRun(store, FIRST, []);
    rmSync(segmentsOf(store)[1] ?? '');
    await appendNodes(FIRST, 2);
    expect(
      segmentsOf(store)
        .map((path) => path.slice(-18, -6))
        .slice(0, 2),
    ).toEqual(['000000000000', '000000000001']);
  });

  it.each([
    ['half an event', '{"seq":1,"prev":"0', 18],
    ['a whole event', null, 0],
  ])('within the first event of segment 1 (%s) leaves a torn tail that is repaired', async (_, text, dropped) => {
    await commitRun(store, FIRST, [{ path: 'a0', outcome: null }]);
    const second = segmentsOf(store)[1] ?? '';
    if (text === null) truncateSync(second, lstatSync(second).size - 1);
    else writeFileSync(second, text);
    (await ownOf(store, FIRST)).close();
    const record = { type: 'log.repair', kept: text === null, droppedBytes: dropped };
    expect(eventsOf(store, FIRST).slice(text === null ? 2 : 1)).toMatchObject([record]);
  });
});

describe('a torn tail in the first segment of a run', () => {
  it('is cut, and recorded as event 1', async () => {
    await commitRun(store, FIRST, []);
    const [first = '', second = ''] = segmentsOf(store);
    rmSync(second);
    chmodSync(first, 0o600);
    appendFileSync(first, '{"seq":1,');
    expect(store.read(FIRST)?.readOutline()).toMatchObject({ damage: null, tornBytes: 9 });
    const owner = await ownOf(store, FIRST);
    expect(owner.repaired).toBe(true);
    owner.close();
    expect(eventsOf(store, FIRST)).toMatchObject([{ type: 'graph.start' }, { kept: false, droppedBytes: 9, seq: 1 }]);
    expect(modesOf()[0]).toEqual(['000000000000.jsonl', 0o400]);
  });

  it('that is event 0 without its newline is kept', async () => {
    await commitRun(store, FIRST, []);
    const [first = '', second = ''] = segmentsOf(store);
    rmSync(second);
    rmSync(idxOf(first));
    chmodSync(first, 0o600);
    truncateSync(first, lstatSync(first).size - 1);
    (await ownOf(store, FIRST)).close();
    expect(eventsOf(store, FIRST)).toMatchObject([{ type: 'graph.start' }, { type: 'log.repair', kept: true }]);
    expect(readLog(store).toString().split('\n')).toHaveLength(3);
  });
});

describe('a forked run', () => {
  it('holds an event 0 of its own and every other byte of its source up to the boundary', async () => {
    await makeRun(6);
    for (const [index, at] of entersOf(store, FIRST).entries()) {
      const id = makeTestId(100 + index);
      await commitChild(store, FIRST, { id, at, own: buildNode({ path: `a${index}`, attempt: 2 }) });
      const source = bytesOf(store, FIRST);
      const prefix = eventBytes(source, 1, at);
      const child = bytesOf(store, id);
      const own = child.indexOf(0x0a) + 1;
      expect(child.subarray(own, own + prefix.length)).toEqual(prefix);
      const [start, ...rest] = eventsOf(store, id);
      expect(start).toMatchObject({ id, forkedFrom: { id: FIRST, offset: at - 1 } });
      expect(rest[0]?.prev).toBe(eventsOf(store, FIRST)[1]?.prev);
      expect(rest[at - 1]).toMatchObject({ seq: at, event0: sha256(child.subarray(0, own - 1)) });
      expect(rest.filter(({ event0 }) => event0 !== undefined)).toHaveLength(1);
      expect(damageOf(id)).toBeNull();
    }
  });

  it('links sealed segments and payloads, and leaves its source as it was', async () => {
    await makeRun(8);
    const owner = await ownOf(store, FIRST);
    const input = { text: 'payload '.repeat(40_000) };
    await owner.append(buildNode({ path: 'large', input }), { durable: true });
    await owner.append(buildNode({ path: 'last' }), { durable: true });
    owner.close();
    const before = fingerprint();
    const at = entersOf(store, FIRST).at(-1) ?? 0;
    const staged = await commitChild(store, FIRST, { id: SECOND, at });
    const after = fingerprint();
    expect(after).toEqual(before);
    const [start, ...linked] = segmentsOf(store, SECOND);
    const sources = segmentsOf(store).slice(1);
    expect(lstatSync(start ?? '').nlink).toBe(1);
    for (const [index, path] of linked.entries()) {
      const shared = index < linked.length - 1;
      expect(lstatSync(path).ino === lstatSync(sources[index] ?? '').ino).toBe(shared);
    }
    const [payload = ''] = readdirSync(store.pathsOf(SECOND).blobs);
    expect(lstatSync(join(store.pathsOf(SECOND).blobs, payload)).nlink).toBe(2);
    const sharedBytes = linked.slice(0, -1).reduce((sum, path) => sum + lstatSync(path).size, 0);
    const ownBytes = lstatSync(start ?? '').size + lstatSync(linked.at(-1) ?? '').size;
    expect(staged.bytes).toEqual({ own: ownBytes, shared: sharedBytes + input.text.length });
    expect(staged.missingPayloads).toEqual([]);
  });

  it('with an empty prefix begins with an event of its own, which points past its event 0', async () => {
    await makeRun(2);
    await commitChild(store, FIRST, { id: SECOND, at: 1 });
    expect(readFileSync(segmentsOf(store, SECOND)[1] ?? '').length).toBe(0);
    await appendNodes(SECOND, 1);
    const [start, first] = eventsOf(store, SECOND);
    const source = sha256(readFileSync(segmentsOf(store)[0] ?? '').subarray(0, -1));
    expect(start).toMatchObject({ forkedFrom: { offset: 0, digest: source, sourceEvent0Digest: source } });
    expect(first).toMatchObject({ seq: 1, prev: source });
    expect(first?.event0).toBe(sha256(readFileSync(segmentsOf(store, SECOND)[0] ?? '').subarray(0, -1)));
    expect(first?.event0).not.toBe(source);
    expect(damageOf(SECOND)).toBeNull();
  });

  it('of a forked run keeps its event0 lines, at an own and at an inherited boundary', async () => {
    await makeRun(3);
    await commitChild(store, FIRST, { id: SECOND, at: entersOf(store, FIRST)[1] ?? 0 });
    await appendNodes(SECOND, 3, 10);
    const enters = entersOf(store, SECOND);
    const root = eventsOf(store, FIRST)[1]?.prev;
    for (const [index, at] of [enters[0] ?? 0, enters.at(-1) ?? 0].entries()) {
      const id = makeTestId(50 + index);
      await commitChild(store, SECOND, { id, at });
      await appendNodes(id, 2, 20);
      expect(eventsOf(store, id)[0]).toMatchObject({ forkedFrom: { id: SECOND, sourceEvent0Digest: root } });
      expect(eventsOf(store, id)[1]?.prev).toBe(root);
      expect(eventsOf(store, id).filter(({ event0 }) => event0 !== undefined)).toHaveLength(index + 1);
      expect(damageOf(id)).toBeNull();
      expect(damageOf(id, false)).toBeNull();
    }
    expect(await store.remove(FIRST)).toBeNull();
    expect(await store.remove(SECOND)).toBeNull();
    expect(damageOf(makeTestId(51))).toBeNull();
  });

  it('is taken of a run this process is writing, up to what it wrote, which is then durable', async () => {
    await makeRun(2);
    const owner = await ownOf(store, FIRST);
    await owner.append(buildNode({ path: 'late', outcome: null }), { durable: false });
    const staged = await commitChild(store, FIRST, { id: SECOND, at: owner.next - 1 });
    await owner.append([{ type: 'now', node: 'late', value: 'x' }], { durable: true });
    owner.close();
    expect(staged.id).toBe(SECOND);
    expect(bytesOf(store, SECOND).toString()).not.toContain('late","attempt');
    expect(damageOf(SECOND)).toBeNull();
  });

  it('records a repair as its first own event', async () => {
    await makeRun(2);
    await commitChild(store, FIRST, { id: SECOND, at: entersOf(store, FIRST)[1] ?? 0 });
    appendFileSync(segmentsOf(store, SECOND).at(-1) ?? '', '{"half');
    (await ownOf(store, SECOND)).close();
    expect(eventsOf(store, SECOND).at(-1)).toMatchObject({ type: 'log.repair', event0: expect.any(String) });
  });

  it('that is discarded or not given its event 0 leaves nothing', async () => {
    await makeRun(2);
    const staged = await stageChild(store, FIRST, { id: SECOND, at: 1 });
    staged.discard();
    expect(readdirSync(store.layout.staging)).toEqual([]);
    const log = expectDone(await store.share(FIRST));
    const { planCut } = await import('@ramet/testkit/run-acts');
    const bare = store.stage(SECOND, { source: log, plan: planCut(log.readOutline(), FIRST, 1) });
    expect(() => bare.append(buildNode({ path: 'x' }))).toThrow('begins with a graph.start');
    expect(() => bare.append([buildRunStart({ id: SECOND })])).toThrow('own events begin at 1');
    await expect(bare.commit()).rejects.toThrow('event 0 of its own');
    log.close();
    expect(store.listRuns()).toEqual([FIRST]);
  });
});

describe('any log of a run, in segments of any size', () => {
  const anyLog = fc.record({ lines: runLog, segmentBytes: fc.integer({ min: 1, max: 4_000 }), share: fc.nat(99) });
  const child = makeTestId(0xc0de);

  it('is outlined as its lines say, and forked at any entry of a node to the bytes its lines say', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, async ({ lines, segmentBytes, share }) => {
        const own = openTestStore(makeHome(), segmentBytes);
        const id = lines[0]?.event.id as RunId;
        const staged = own.stage(id);
        staged.append([buildRunStart({ id })]);
        await staged.commit();
        rmSync(own.pathsOf(id).log, { recursive: true });
        const names = writeLogFolder(own.pathsOf(id).folder, lines, { segmentBytes });
        const heads = outlineLog(
          lines,
          names.map((name) => Number.parseInt(name, 10)),
        ).map(({ head }) => head);
        expect(own.read(id)?.readOutline()).toMatchObject({
          damage: null,
          heads: heads.filter(({ count }) => count > 0),
        });
        (await ownOf(own, id)).close();
        const enters = entriesOf(lines);
        const at = enters[share % Math.max(enters.length, 1)];
        if (at !== undefined) {
          await commitChild(own, id, { id: child, at });
          const expected = buildRunFork(lines, { id: child, at });
          expect(bytesOf(own, child).subarray(bytesOf(own, child).indexOf(0x0a) + 1)).toEqual(
            linesToLog(expected.slice(1)),
          );
          expect(own.read(child)?.readOutline({ full: true }).damage).toBeNull();
        }
        expect(auditStore(own.layout.home)).toEqual([]);
        rmSync(own.layout.home, { recursive: true });
      }),
      { numRuns: 40 },
    );
  });
});

function linesToLog(lines: readonly EncodedLine[]): Buffer {
  return Buffer.concat(lines.flatMap(({ bytes }) => [bytes, Buffer.from('\n')]));
}

describe('the chain of a forked run', () => {
  const parent = encodeLog(buildRun({ id: FIRST, nodes: planNodes(3) }));
  const at = parent.findLastIndex(({ event }) => event.type === 'node.enter');
  const child = encodeLog(buildNode({ path: 'a2', attempt: 2 }), buildRunFork(parent, { id: SECOND, at }));

  beforeEach(async () => {
    sound = false;
    await commitRun(store, SECOND, []);
  });

  /** The child's lines, some of them edited and their followers linked again. */
  function relink(edit: (event: Record<string, unknown>) => void): readonly EncodedLine[] {
    let prev: string = CHAIN_START.prev;
    return child.map((line, seq) => {
      const event = { ...line.event } as Record<string, unknown>;
      if (seq !== 1) event.prev = prev;
      edit(event);
      const bytes = Buffer.from(JSON.stringify(event));
      prev = sha256(bytes);
      return { ...line, bytes };
    });
  }

  it('is sound as it was built', () => {
    writeRun(SECOND, child);
    expect(damageOf(SECOND)).toBeNull();
  });

  const cases: readonly (readonly [string, number, (event: Record<string, unknown>) => void])[] = [
    ['the first own event names no event 0', at, (event) => event.seq === at && delete event.event0],
    ['it names another event 0', at, (event) => event.seq === at && Object.assign(event, { event0: 'a'.repeat(64) })],
    [
      'a later event names it too',
      at + 1,
      (event) => event.seq === at + 1 && Object.assign(event, { event0: sha256(child[0]?.bytes ?? '') }),
    ],
    ['event 0 names one', 0, (event) => event.seq === 0 && Object.assign(event, { event0: 'a'.repeat(64) })],
    [
      'event 0 was changed after the fork',
      at,
      (event) => event.seq === 0 && Object.assign(event, { title: 'another' }),
    ],
  ];
  it.each(cases)('is damaged when %s', async (_, offset, edit) => {
    writeRun(
      SECOND,
      relink((event) => void edit(event)),
    );
    expect(damageOf(SECOND)).toMatchObject({ offset });
    expect(await store.own(SECOND)).toMatchObject({ code: 'log_damaged' });
  });

  it('is damaged when event 1 points to its own event 0', () => {
    const lines = relink((event) => event.seq === 1 && Object.assign(event, { prev: sha256(child[0]?.bytes ?? '') }));
    writeRun(SECOND, lines);
    expect(damageOf(SECOND)).toMatchObject({ offset: 1, segment: '000000000001.jsonl', line: 1 });
  });

  it('does not believe an index of a segment that lacks the first own event of its new event 0', async () => {
    writeRun(SECOND, child);
    (await ownOf(store, SECOND)).close();
    expect(damageOf(SECOND, false)).toBeNull();
    // The same lines below another event 0: every index still fits its segment.
    const [first = ''] = segmentsOf(store, SECOND);
    const moved = { ...(JSON.parse(readFileSync(first, 'utf8')) as { forkedFrom: { offset: number } }) };
    moved.forkedFrom.offset = 3;
    rmSync(first);
    rmSync(idxOf(first));
    writeFileSync(`${first}.new`, `${JSON.stringify(moved)}\n`, { mode: 0o400 });
    renameSync(`${first}.new`, first);
    expect(damageOf(SECOND, false)).toMatchObject({ offset: 4, found: 'no event0' });
  });

  it('of a session may not have an event0', async () => {
    const lines = encodeLog(buildSession({ id: SECOND, turns: [{}] }));
    const last = lines.length - 1;
    const event = { ...lines[last]?.event, event0: lines[0]?.digest };
    writeRun(SECOND, lines.with(last, { ...lines[last]!, bytes: Buffer.from(JSON.stringify(event)) }));
    expect(damageOf(SECOND)).toMatchObject({ offset: last, expected: 'no event0' });
  });
});

/** The bytes of the events from one offset up to another, which is left out. */
function eventBytes(log: Buffer, from: number, to: number): Buffer {
  const lines = log.toString('latin1').split('\n').slice(from, to);
  return Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1');
}

function fingerprint(id: RunId = FIRST): unknown {
  const { log, blobs } = store.pathsOf(id);
  return [log, blobs].flatMap((folder) =>
    readdirSync(folder)
      .sort()
      .map((name) => {
        const { mode, size, mtimeMs, ino } = lstatSync(join(folder, name));
        return { name, mode, size, mtimeMs, ino, bytes: readFileSync(join(folder, name), 'latin1') };
      }),
  );
}
