/** Talks to a server byte by byte: what `fetch` would never send. */
import { connect, type NetConnectOpts, type Socket } from 'node:net';

export interface RawAnswer {
  /** 0 where nothing was answered. */
  readonly status: number;
  readonly text: string;
}

/** Sends bytes and reads until the server closes, or has answered one request with a body of known length. */
export function sendRaw(where: string | { readonly socket: string }, bytes: string | Uint8Array): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const socket = open(where);
    const chunks: Buffer[] = [];
    const finish = () => {
      socket.destroy();
      const text = Buffer.concat(chunks).toString('utf8');
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text });
    };
    socket.on('connect', () => socket.write(bytes));
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (isWhole(Buffer.concat(chunks).toString('latin1'))) finish();
    });
    socket.on('error', finish);
    socket.on('close', finish);
  });
}

/** A connection nothing was sent on. */
export function open(where: string | { readonly socket: string }): Socket {
  if (typeof where !== 'string') return connect(where.socket);
  const { hostname: host, port } = new URL(where);
  const options: NetConnectOpts = { host, port: Number(port) };
  return connect(options);
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  const length = /^content-length: (\d+)/im.exec(text.slice(0, end))?.[1];
  return end !== -1 && length !== undefined && text.length >= end + 4 + Number(length);
}
