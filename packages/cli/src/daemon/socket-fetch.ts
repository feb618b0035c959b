import { request } from 'node:http';
import { Readable } from 'node:stream';
import type { Fetch } from '@ramet/client';

/** Statuses whose responses have no body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Makes a `fetch` whose connections go to a unix socket, whatever host the URL names. */
export function makeSocketFetch(socketPath: string): Fetch {
  return (url, init) =>
    new Promise((resolve, reject) => {
      const { pathname, search } = new URL(url);
      const { method = 'GET', headers, body, signal } = init;
      const sent = request(
        {
          socketPath,
          method,
          path: `${pathname}${search}`,
          headers: Object.fromEntries(new Headers(headers)),
          ...(signal == null ? {} : { signal }),
        },
        (answer) => {
          const { statusCode: status = 502, statusMessage: statusText = '' } = answer;
          const told = new Headers();
          for (const [name, value] of Object.entries(answer.headersDistinct)) told.set(name, (value ?? []).join(', '));
          // A stream that breaks off is read to where it broke: whoever reads it sees the error.
          const stream = EMPTY.has(status) ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
          resolve(new Response(stream, { status, statusText, headers: told }));
        },
      );
      sent.on('error', reject);
      sent.end(typeof body === 'string' ? body : undefined);
    });
}
