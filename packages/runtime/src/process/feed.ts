import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';

/**
 * Writes all input to a process and closes it. A process that stops reading (EPIPE) is no error: its exit code tells.
 * Rejects only with an error of the source itself.
 */
export async function feedStdin(stdin: Writable, input: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
  const done = finished(stdin, { readable: false }).catch(ignore);
  stdin.on('error', ignore);
  if (input instanceof Uint8Array) {
    stdin.end(input);
    return done;
  }
  try {
    for await (const chunk of input) {
      if (stdin.destroyed) break;
      if (!stdin.write(chunk)) await Promise.race([new Promise((resolve) => stdin.once('drain', resolve)), done]);
    }
  } finally {
    stdin.end();
  }
  return done;
}

function ignore(): void {}
