import type { RunSummary } from '@ramet/runtime/inspect';
import type { LogReader } from '@ramet/runtime/store';
import { expect, it } from 'vitest';
import { LogPages } from '../../src/handlers/log-pages.ts';

const ROW = { id: 'run', events: 3 } as unknown as RunSummary;

/** A log of lines of so many bytes, and how often it was read. */
function makeLog(bytes: number) {
  let reads = 0;
  const reader = {
    *readBytes({ from = 0, to = 0 }) {
      reads += 1;
      for (let seq = from; seq <= to; seq += 1) yield Buffer.from(`{"seq":${seq},"pad":"${'é'.repeat(bytes / 2)}"}\n`);
    },
  } as unknown as LogReader;
  return { reader, reads: () => reads };
}

it('reads a page once for as long as the row is the same', () => {
  const pages = new LogPages();
  const { reader, reads } = makeLog(4);
  const ask = (row: RunSummary, from: number) => JSON.parse(pages.render(row, reader, { from, limit: 2 }).toString());
  const first = {
    id: 'run',
    events: [0, 1].map((seq) => ({ seq, pad: 'éé' })),
    next: 2,
    total: 3,
  };
  expect([ask(ROW, 0), ask(ROW, 0)]).toEqual([first, first]);
  expect(reads()).toBe(1);
  expect(ask(ROW, 2)).toMatchObject({ events: [{ seq: 2 }], next: null });
  expect(ask(ROW, 3)).toMatchObject({ events: [], next: null });
  expect(ask({ ...ROW, events: 4 }, 0)).toMatchObject({ total: 4 });
  expect(reads()).toBe(3);
});

it('keeps the pages that were asked for last, within a number of bytes', () => {
  const pages = new LogPages();
  const { reader, reads } = makeLog(900_000);
  const row = { ...ROW, events: 20 } as RunSummary;
  const ask = (from: number) => pages.render(row, reader, { from, limit: 1 });
  for (let from = 0; from < 12; from += 1) ask(from);
  expect(reads()).toBe(12);
  ask(11);
  expect(reads()).toBe(12);
  ask(0);
  expect(reads()).toBe(13);
});
