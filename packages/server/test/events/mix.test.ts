import { describe, expect, it } from 'vitest';
import { renderFrame } from '../../src/events/frames.ts';
import { mixFrames } from '../../src/events/mix.ts';
import { respondStream } from '../../src/events/stream.ts';

/** Counts from 0 on, as fast as it is asked. */
function makeCounter() {
  const counter = { asked: 0, isEnded: false };
  const items: AsyncIterator<number, undefined> = {
    next: async () => ({ done: false, value: counter.asked++ }),
    return: async () => {
      counter.isEnded = true;
      return { done: true, value: undefined };
    },
  };
  return { counter, items };
}

const quiet = { render: String, say: () => '', watch: () => () => {}, keepAliveMs: 60_000 };

describe('a stream of frames', () => {
  it('asks for no more than one item ahead of who reads', async () => {
    const { counter, items } = makeCounter();
    const { signal } = new AbortController();
    const response = respondStream(mixFrames({ ...quiet, items, signal }), () => {});
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    for (let count = 0; count < 3; count += 1) await reader.read();
    for (let count = 0; count < 20; count += 1) await new Promise(setImmediate);
    expect(counter.asked).toBe(4);
    await reader.cancel();
    expect(counter.isEnded).toBe(true);
  });

  it('ends what it was made of when its caller leaves while nothing comes', async () => {
    const leaving = new AbortController();
    let isWatched = true;
    let isEnded = false;
    const items: AsyncIterator<number, undefined> = {
      next: () => new Promise(() => {}),
      return: async () => {
        isEnded = true;
        return { done: true, value: undefined };
      },
    };
    const watch = () => () => {
      isWatched = false;
    };
    const frames = mixFrames({ ...quiet, items, watch, signal: leaving.signal });
    const response = respondStream(frames, () => leaving.abort());
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const pending = reader.read();
    await new Promise(setImmediate);
    await reader.cancel();
    expect([(await pending).done, isWatched, isEnded]).toEqual([true, false, true]);
  });

  it('says what there is to say before the items that came meanwhile', async () => {
    const { items } = makeCounter();
    const { signal } = new AbortController();
    let ring = () => {};
    let said = 0;
    const frames = mixFrames({
      ...quiet,
      items,
      signal,
      say: () => `said ${said++}`,
      watch: (bell) => {
        ring = bell;
        return () => {};
      },
    });
    const next = async () => (await frames.next()).value;
    expect([await next(), await next()]).toEqual(['said 0', '0']);
    ring();
    ring();
    expect([await next(), await next(), await next()]).toEqual(['said 1', '1', '2']);
    await frames.return();
  });

  it('throws what its items throw', async () => {
    const items: AsyncIterator<number, undefined> = {
      next: async () => {
        throw new Error('the disk said no');
      },
    };
    const { signal } = new AbortController();
    await expect(mixFrames({ ...quiet, items, signal }).next()).rejects.toThrow('the disk said no');
  });
});

describe('a frame', () => {
  it('is one event whatever its text holds', () => {
    expect(renderFrame({ id: 3, data: '{"a":1}' })).toBe('id: 3\ndata: {"a":1}\n\n');
    const hostile = renderFrame({ id: 4, data: '{"a":1,\r\n\r"id": 9}' });
    expect(hostile).toBe('id: 4\ndata: {"a":1,\ndata: \ndata: "id": 9}\n\n');
  });
});
