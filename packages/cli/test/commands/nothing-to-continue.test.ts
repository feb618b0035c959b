import { expect, test } from 'vitest';
import { makeTestStore } from '../command-line.ts';

test('run --continue is refused where no session belongs to the folder, and says how to start one', async () => {
  const store = makeTestStore();
  const { exit, stdout, stderr } = await store.run(['run', '--continue', '--json', 'go on']);
  expect({ exit, stderr }).toEqual({ exit: 1, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({
    code: 'nothing_to_continue',
    message: expect.stringContaining('ramet run'),
  });
});
