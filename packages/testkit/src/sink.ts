/** The outside, for tests: a server on loopback that remembers what reached it. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An outside that counts what reaches it. */
export interface Sink {
  readonly port: number;
  /** Paths asked for since the last `clear`. */
  readonly seen: readonly string[];
  clear(): void;
  /** Called when a request arrives, before it is answered. */
  onRequest: (() => void) | null;
  close(): Promise<void>;
}

/** Starts a sink. */
export async function startSink(): Promise<Sink> {
  const seen: string[] = [];
  const sink: { onRequest: (() => void) | null } = { onRequest: null };
  const server: Server = createServer((request, response) => {
    seen.push(request.url ?? '');
    sink.onRequest?.();
    response.end('taken');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(sink, {
    port: (server.address() as AddressInfo).port,
    seen,
    clear: () => {
      seen.length = 0;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

/** A shell command that reaches the sink, with bash alone. */
export function askSink(sink: Sink, path: string): string {
  const request = `GET /${path} HTTP/1.0\\r\\n\\r\\n`;
  return `exec 3<>/dev/tcp/127.0.0.1/${sink.port}; printf '${request}' >&3; cat <&3 >/dev/null`;
}
