import type { LoggedEvent } from '@ramet/core';
import { buildRun, encodeLog, makeGraph } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import { inheritedThrough, Timeline } from '../../src/run/timeline.ts';

const program = { kind: 'tool' as const, exec: { command: 'true' } };
const graph = makeGraph({ nodes: { m: { kind: 'map', over: 'input.items', body: { nodes: { work: program } } } } });

/** A map of so many items, each with a call, and its end. */
function makeLog(items: number): readonly LoggedEvent[] {
  const entries = Array.from({ length: items }, (_, item) => [
    { path: `m[${item}]/work`, calls: [{}], output: item },
  ]).flat();
  const drafts = [
    ...buildRun({ nodes: [{ path: 'm', outcome: null }, ...entries] }),
    { type: 'run.complete' as const, output: null },
  ];
  return encodeLog(drafts).map(({ event }) => event);
}

describe('the moments of a run', () => {
  const events = makeLog(600);

  it('are the same from a snapshot as from the beginning', () => {
    const timeline = new Timeline(graph);
    timeline.catchUp(events, 1);
    expect(timeline.snapshots).toBeGreaterThan(2);
    for (const at of [0, 1, 255, 256, 257, 700, 1023, events.length - 2, events.length - 1]) {
      const fresh = new Timeline(graph);
      expect(timeline.at(at)).toEqual(fresh.catchUp(events.slice(0, at + 1), 1));
    }
  });

  it('are the same however the log grew', () => {
    const grown = new Timeline(graph);
    for (let count = 1; count < events.length; count += 37) grown.catchUp(events.slice(0, count), 1);
    const whole = new Timeline(graph);
    expect(grown.catchUp(events, 1)).toEqual(whole.catchUp(events, 1));
    expect(grown.eventsOf('m[3]/work')).toEqual(whole.eventsOf('m[3]/work'));
    expect(grown.at(500)).toEqual(whole.at(500));
  });

  it('do not change while the log grows', () => {
    const timeline = new Timeline(graph);
    const before = timeline.catchUp(events.slice(0, 300), 1);
    const copy = structuredClone(before);
    timeline.catchUp(events, 1);
    expect(before).toEqual(copy);
  });

  it('are bounded in number, however long the log is', () => {
    const timeline = new Timeline(graph);
    timeline.catchUp(makeLog(6_000), 1);
    expect(timeline.snapshots).toBeLessThanOrEqual(32);
    expect(timeline.snapshots).toBeGreaterThan(8);
  });

  it('begin anew when the log is another', () => {
    const timeline = new Timeline(graph);
    timeline.catchUp(events, 1);
    const shorter = events.slice(0, 10);
    expect(timeline.catchUp(shorter, 2)).toEqual(new Timeline(graph).catchUp(shorter, 1));
    expect(timeline.eventsOf('m[500]/work')).toEqual([]);
  });

  it('say how the run ended, and not before it did', () => {
    const timeline = new Timeline(graph);
    expect(timeline.catchUp(events, 1).end).toBe('completed');
    expect(timeline.at(events.length - 2).end).toBeNull();
  });

  it('before the first event hold nothing', () => {
    expect(new Timeline(graph).at(-1)).toEqual({ offset: -1, nodes: new Map(), end: null });
  });
});

it('finds what a child inherited in event 0 alone', () => {
  const [first] = makeLog(1);
  expect(inheritedThrough(first)).toBe(-1);
  expect(inheritedThrough({ ...first, forkedFrom: { offset: 7 } } as unknown as LoggedEvent)).toBe(7);
  expect(inheritedThrough(undefined)).toBe(-1);
});
