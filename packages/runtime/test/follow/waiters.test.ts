import { expect, it } from 'vitest';
import { Waiters } from '../../src/follow/waiters.ts';

/** Lets so many go on, and counts how many did in each turn of the loop. */
async function countTurns(waiters: Waiters, count: number): Promise<readonly number[]> {
  let gone = 0;
  for (let index = 0; index < count; index += 1) {
    waiters.add(() => {
      gone += 1;
    });
  }
  expect(waiters.wake()).toBe(count);
  const turns: number[] = [];
  for (let before = 0; before < count; before = gone) {
    await new Promise((resolve) => setImmediate(resolve));
    turns.push(gone - before);
  }
  return turns;
}

it('lets two go on in one turn of the loop, so that whoever else waits for the thread waits for no more', async () => {
  for (const hasWriter of [false, true]) {
    const waiters = new Waiters();
    waiters.hasWriter = hasWriter;
    const turns = await countTurns(waiters, 250);
    expect(Math.max(...turns)).toBe(2);
  }
});

it('lets a crowd rest while its writer is here, and nobody else', async () => {
  const [crowd, few, elsewhere] = [new Waiters(), new Waiters(), new Waiters()];
  crowd.hasWriter = true;
  few.hasWriter = true;
  const idle = (turns: readonly number[]) => turns.slice(1).filter((gone) => gone === 0).length;
  expect(idle(await countTurns(crowd, 250))).toBeGreaterThan(0);
  expect(idle(await countTurns(few, 90))).toBe(0);
  expect(idle(await countTurns(elsewhere, 250))).toBe(0);
});
