/** An answer that is a stream of server-sent events. */
import { respond } from '../http/headers.ts';
import type { Frames } from './mix.ts';

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // A proxy that collects would hold back what is to be seen at once.
  'x-accel-buffering': 'no',
};

/** Only the headers, for who asks for no more. */
export function respondStreamHead(): Response {
  return respond(null, { headers: HEADERS });
}

/**
 * Answers with frames as the connection takes them: the next is asked for when the one before was taken off. `leave` is
 * called when the caller is gone.
 */
export function respondStream(frames: AsyncGenerator<Frames, void>, leave: () => void): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await frames.next();
        if (done === true) controller.close();
        else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
      },
      async cancel() {
        leave();
        await frames.return();
      },
    },
    { highWaterMark: 0 },
  );
  return respond(body, { headers: HEADERS });
}
