import { expect, it } from 'vitest';
import { Turnstile } from '../../src/handlers/turnstile.ts';

/** Work that goes on until it is told to end, and how much of it there is. */
function makeWork() {
  const ends: (() => void)[] = [];
  const order: number[] = [];
  let most = 0;
  let now = 0;
  const work = (name: number) => async (): Promise<number> => {
    order.push(name);
    now += 1;
    most = Math.max(most, now);
    await new Promise<void>((resolve) => ends.push(resolve));
    now -= 1;
    return name;
  };
  return { work, order, end: () => ends.shift()?.(), most: () => most };
}

const { signal: NEVER } = new AbortController();
const settle = () => new Promise((resolve) => setImmediate(resolve));

it('lets a few in at a time, in their order, and turns away whoever finds too many waiting', async () => {
  const turnstile = new Turnstile({ atOnce: 2, waiting: 3 });
  const { work, order, end, most } = makeWork();
  const all = [0, 1, 2, 3, 4, 5, 6].map((name) => turnstile.pass(NEVER, work(name)));
  expect(await all[5]).toBeNull();
  expect(await all[6]).toBeNull();
  for (const _ of [0, 1, 2, 3, 4]) {
    await settle();
    end();
  }
  expect(await Promise.all(all.slice(0, 5))).toEqual([0, 1, 2, 3, 4]);
  expect(order).toEqual([0, 1, 2, 3, 4]);
  expect(most()).toBe(2);
});

it('forgets who gave up, and goes on after work that threw', async () => {
  const turnstile = new Turnstile({ atOnce: 1, waiting: 1 });
  const gone = new AbortController();
  const { work, order, end } = makeWork();
  const first = turnstile.pass(NEVER, async () => {
    await work(0)();
    throw new Error('broken');
  });
  const second = turnstile.pass(gone.signal, work(1));
  gone.abort();
  expect(await second).toBeNull();
  const third = turnstile.pass(NEVER, work(2));
  end();
  await expect(first).rejects.toThrow('broken');
  await settle();
  end();
  expect(await third).toBe(2);
  expect(order).toEqual([0, 2]);
});
