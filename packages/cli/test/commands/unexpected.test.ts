/** What is told of a bug, of ours or of the machine: one line with a code, and a stack only on request. */
import { expect, test } from 'vitest';
import { makeTestStore } from '../command-line.ts';

const store = makeTestStore();
const id = String(store.addSession({ turns: [{ replies: [{ text: 'one' }], checkpoint: null }] })[0]?.event.id);

const now = (): number => {
  throw new TypeError('no clock\nand more');
};

test('an error without a code is an internal_error in one line, without a stack', async () => {
  const message = 'unexpected: no clock; set RAMET_DEBUG=1 to see where';
  expect(await store.run(['sessions'], { now })).toEqual({
    stdout: '',
    stderr: `ramet: ${message} (internal_error)\n`,
    exit: 2,
  });
  const { stdout, ...rest } = await store.run(['fork', id, '--json'], { now });
  expect({ answer: JSON.parse(stdout), ...rest }).toEqual({
    answer: { code: 'internal_error', message },
    stderr: '',
    exit: 2,
  });
});

test('its stack is shown to whoever asks for it', async () => {
  const { stderr, exit } = await store.run(['sessions'], { now, env: { RAMET_DEBUG: '1' } });
  expect(exit).toBe(2);
  expect(stderr).toMatch(/^TypeError: no clock\nand more\n {4}at /);
  expect(stderr).toMatch(/\nramet: unexpected: no clock \(internal_error\)\n$/);
});
