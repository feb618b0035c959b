import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import type { EventDraft, LoggedEvent } from '@ramet/core';
import { type FileStore, openMemoryStore, type RunStore, readSparseEvents, ValueInLine } from '@ramet/runtime/store';
import { buildNode, buildRunStart, makeChain } from '@ramet/testkit';
import { ownOf } from '@ramet/testkit/store-contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { FIRST, idxOf, makeHome, openTestStore, segmentsOf } from './helpers.ts';

const GRAPH = makeChain('a', 'b', 'c');
const LONG = 'ä'.repeat(3_000);

let store: FileStore;
beforeEach(() => {
  store = openTestStore(makeHome(), 9_000);
});

/** Nodes with long and short values, in several segments of a file store. */
async function makeRun(into: RunStore): Promise<void> {
  const staged = into.stage(FIRST);
  staged.append([buildRunStart({ id: FIRST, graph: GRAPH.hash, input: LONG })]);
  await staged.commit();
  const owner = await ownOf(into, FIRST);
  const drafts: readonly EventDraft[] = [
    ...buildNode({ path: 'a', input: LONG, output: [LONG, LONG], calls: [{ input: { text: LONG } }] }),
    ...buildNode({ path: 'b', input: 1, output: 2, calls: [{}] }),
    ...buildNode({ path: 'c', input: { LONG }, output: null }),
  ];
  for (const draft of drafts) await owner.append([draft], { durable: false });
  owner.close();
}

function readSparse(from: RunStore): readonly LoggedEvent[] {
  const outline = from.read(FIRST)?.readOutline();
  return outline === undefined ? [] : [...readSparseEvents(outline)];
}

/** Events with the values that were left in their lines. */
function fill(events: readonly LoggedEvent[]): readonly unknown[] {
  return events.map((event) =>
    Object.fromEntries(
      Object.entries(event).map(([name, value]) => [name, value instanceof ValueInLine ? value.read() : value]),
    ),
  );
}

function countLeft(events: readonly LoggedEvent[]): number {
  return events.flatMap(Object.values).filter((value) => value instanceof ValueInLine).length;
}

describe('sparse events', () => {
  it.each([
    ['files', () => store],
    ['memory', () => openMemoryStore({ now: () => 0 })],
  ] as const)(
    'of a log in %s are its events once the values that stayed in their lines are put back',
    async (_, open) => {
      const kept = open();
      await makeRun(kept);
      const events = readSparse(kept);
      expect(countLeft(events)).toBe(4);
      expect(fill(events)).toEqual([...(kept.read(FIRST)?.readEvents() ?? [])]);
    },
  );

  it('need no line with a long value: that is read, and checked, when somebody asks for it', async () => {
    await makeRun(store);
    const outline = store.read(FIRST)?.readOutline();
    const sound = outline === undefined ? [] : [...readSparseEvents(outline)];
    for (const path of segmentsOf(store)) {
      const text = readFileSync(path, 'utf8');
      chmodSync(path, 0o600);
      writeFileSync(path, text.replaceAll('ä'.repeat(100), `"${'ä'.repeat(99)}"`));
    }
    const events = outline === undefined ? [] : readSparseEvents(outline);
    // Event 0 has its long input in itself.
    expect(() => [...events]).toThrow(expect.objectContaining({ code: 'log_damaged' }));
    const left = sound.flatMap(Object.values).filter((value) => value instanceof ValueInLine);
    for (const value of left) expect(value.read).toThrow(expect.objectContaining({ code: 'log_damaged' }));
  });

  it('are read from the lines where no index says which are long', async () => {
    await makeRun(store);
    const before = fill(readSparse(store));
    for (const path of segmentsOf(store)) writeFileSync(idxOf(path), '');
    expect(fill(readSparse(openTestStore(store.layout.home)))).toEqual(before);
  });

  it('of an owner hold what it has just appended', async () => {
    await makeRun(store);
    const owner = await ownOf(store, FIRST);
    await owner.append([{ type: 'run.complete', output: LONG }], { durable: false });
    const events = [...readSparseEvents(owner.readOutline())];
    expect(events.at(-1)).toMatchObject({ type: 'run.complete', output: LONG });
    expect(fill(events)).toEqual([...owner.readEvents()]);
    owner.close();
  });
});
