import { describe, expect, it } from 'vitest';
import { LiveBuffer } from '../../src/follow/live-buffer.ts';
import { LineRing } from '../../src/follow/ring.ts';
import type { LogLine } from '../../src/follow/types.ts';
import { Waiters } from '../../src/follow/waiters.ts';

function lineOf(offset: number, bytes = 10): LogLine {
  return { kind: 'line', offset, bytes: new Uint8Array(bytes).fill(offset) };
}

describe('a ring of lines', () => {
  it('holds the newest lines within its bytes, whatever went through it', () => {
    const ring = new LineRing(100);
    for (let offset = 5; offset < 1000; offset += 1) {
      ring.push(lineOf(offset));
      expect(ring.bytes).toBeLessThanOrEqual(100);
      expect(ring.at(offset)?.offset).toBe(offset);
      expect(ring.first).toBe(Math.max(5, offset - 9));
      expect(ring.at((ring.first ?? 0) - 1)).toBeNull();
      expect(ring.at(offset + 1)).toBeNull();
    }
  });

  it('holds one line that is larger than all it may hold', () => {
    const ring = new LineRing(100);
    ring.push(lineOf(0));
    ring.push(lineOf(1, 1000));
    expect([ring.first, ring.bytes]).toEqual([1, 1000]);
    ring.push(lineOf(2));
    expect([ring.first, ring.bytes]).toEqual([2, 10]);
  });

  it('goes on from where it was cut', () => {
    const ring = new LineRing(100);
    for (let offset = 0; offset < 30; offset += 1) ring.push(lineOf(offset));
    ring.cut(25);
    expect([ring.first, ring.at(24)?.offset, ring.at(25), ring.bytes]).toEqual([20, 24, null, 50]);
    ring.push(lineOf(25));
    expect(ring.at(25)?.offset).toBe(25);
    ring.cut(0);
    expect([ring.first, ring.bytes]).toEqual([null, 0]);
    ring.push(lineOf(3));
    expect(ring.first).toBe(3);
  });
});

describe('a buffer of what is live', () => {
  it('holds the newest items within its number and its bytes', () => {
    const buffer = new LiveBuffer({ liveItems: 3, liveBytes: 25 });
    for (let next = 0; next < 9; next += 1) buffer.push(next, new Uint8Array(10));
    expect([buffer.find(0, 6), buffer.find(0, 7)?.item.next, buffer.find(0, 8)?.item.next]).toEqual([null, 7, 8]);
    buffer.push(9, new Uint8Array(26));
    expect(buffer.find(0, 9)).toBeNull();
  });

  it('begins for one who joins with what came after the last line', () => {
    const buffer = new LiveBuffer({ liveItems: 9, liveBytes: 100 });
    for (const next of [4, 4, 5, 5]) buffer.push(next, new Uint8Array(1));
    expect(buffer.startFor(5)).toBe(2);
    expect(buffer.startFor(6)).toBe(4);
    buffer.clear();
    buffer.push(4, new Uint8Array(1));
    expect(buffer.find(buffer.startFor(4), 4)?.after).toBe(5);
  });
});

describe('those who wait', () => {
  it('all go on once, a few at a time, and none who was taken back', async () => {
    const waiters = new Waiters();
    const went: number[] = [];
    const entries = Array.from({ length: 100 }, (_, index) => () => void went.push(index));
    for (const entry of entries) waiters.add(entry);
    waiters.remove(entries[50] ?? (() => {}));
    waiters.wake();
    await new Promise(setImmediate);
    expect(went.length).toBeLessThan(50);
    waiters.add(() => void went.push(1000));
    waiters.wake();
    while (!went.includes(1000)) await new Promise(setImmediate);
    expect(went.length).toBe(100);
    expect(new Set(went).size).toBe(100);
    expect(went).not.toContain(50);
  });

  it('come to their turn, also as a crowd beside a writer, and one who queues again goes behind the others', async () => {
    const waiters = new Waiters();
    waiters.hasWriter = true;
    const went: string[] = [];
    let rounds = 0;
    const again = (): void => {
      rounds += 1;
      if (rounds < 3) waiters.queue(again);
    };
    waiters.queue(again);
    await new Promise<void>((resolve) => {
      for (let index = 0; index < 300; index += 1) waiters.queue(() => void went.push(`other ${index}`));
      waiters.queue(() => void went.push(`last, after ${rounds}`));
      waiters.queue(resolve);
    });
    expect(went).toHaveLength(301);
    expect(went.at(-1)).toBe('last, after 1');
    while (rounds < 3) await new Promise(setImmediate);
  });
});
