/**
 * MCP over streamable HTTP.
 *
 * 1. An answer is never larger than the limit, packed or not.
 * 2. A request whose connection ends without an answer fails at once, as lost; the library's own transport would let it
 *    wait for its time limit.
 * 3. A redirect is followed within the address's own origin only: the headers hold secrets.
 */
import {
  type FetchLike,
  isJSONRPCRequest,
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { LOST_CODE } from './failure.ts';
import { MESSAGE_LIMIT_BYTES } from './stdio.ts';

/** Longest wait before a stream that broke is asked for again, whatever the server wishes. */
const MAX_RECONNECT_MS = 5_000;

type SendOptions = NonNullable<Parameters<StreamableHTTPClientTransport['send']>[1]>;

/** A server at an address. */
export class HttpTransport extends StreamableHTTPClientTransport {
  constructor(url: string, headers: Readonly<Record<string, string>>) {
    super(new URL(url), {
      requestInit: { headers },
      fetch: fetchLimited,
      redirectPolicy: 'same-origin',
      reconnectionScheduler: (reconnect, delay) => {
        // A request that waits for the stream has a timer of its own.
        const timer = setTimeout(reconnect, Math.min(delay, MAX_RECONNECT_MS)).unref();
        return () => clearTimeout(timer);
      },
    });
  }

  override send(message: JSONRPCMessage, options: SendOptions = {}): Promise<void> {
    if (!isJSONRPCRequest(message)) return super.send(message, options);
    const { id } = message;
    const onRequestStreamEnd = (): void => {
      const error = { code: LOST_CODE, message: 'the connection broke before the answer' };
      // One that was answered is not waited for any more.
      this.onmessage?.({ jsonrpc: '2.0', id, error });
    };
    return super.send(message, { ...options, onRequestStreamEnd });
  }
}

const fetchLimited: FetchLike = async (url, init) => {
  const response = await fetch(url, init);
  const { body, status, statusText, headers } = response;
  if (body === null || (status >= 300 && status < 400)) return response;
  return new Response(body.pipeThrough(limitBytes(MESSAGE_LIMIT_BYTES)), { status, statusText, headers });
};

function limitBytes(limit: number): TransformStream<Uint8Array, Uint8Array> {
  let seen = 0;
  return new TransformStream({
    transform: (chunk, controller) => {
      seen += chunk.length;
      if (seen > limit) controller.error(new Error(`an answer is longer than ${limit} bytes`));
      else controller.enqueue(chunk);
    },
  });
}
