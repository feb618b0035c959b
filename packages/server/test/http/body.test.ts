import { expect, it } from 'vitest';
import { readJsonBody } from '../../src/http/body.ts';

const CHUNK = new Uint8Array(1024 * 1024).fill(0x20);
const LIMIT = 4 * CHUNK.length;

/** A request whose body is so many chunks, and how many of them were taken. */
function send(chunks: number, headers: Readonly<Record<string, string>> = {}) {
  let taken = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        if (taken === chunks) return controller.close();
        taken += 1;
        controller.enqueue(CHUNK);
      },
    },
    { highWaterMark: 0 },
  );
  const init = { method: 'POST', body, duplex: 'half', headers: { 'content-type': 'application/json', ...headers } };
  return { request: new Request('http://localhost/', init as RequestInit), taken: () => taken };
}

it('reads what is too large to its end, so that who sends it reads the answer', async () => {
  for (const headers of [{}, { 'content-length': String(20 * CHUNK.length) }]) {
    const { request, taken } = send(20, headers);
    expect(await readJsonBody(request, LIMIT)).toMatchObject({ problem: { code: 'too_large' } });
    expect(taken()).toBe(20);
  }
});

it('stops reading what has no end, and reads nothing of what says that it is far too large', async () => {
  const endless = send(Number.POSITIVE_INFINITY);
  expect(await readJsonBody(endless.request, LIMIT)).toMatchObject({ problem: { code: 'too_large' } });
  expect(endless.taken()).toBe(4 + 64 + 1);
  const honest = send(1000, { 'content-length': String(1000 * CHUNK.length) });
  expect(await readJsonBody(honest.request, LIMIT)).toMatchObject({ problem: { code: 'too_large' } });
  expect(honest.taken()).toBe(0);
});
