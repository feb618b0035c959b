/**
 * A model endpoint on loopback that answers what it is told to, one answer a request. It reads requests as strictly
 * as real endpoints do: half a character in a string, input of a call that is no object, a call without its result
 * or an empty text block is answered 400, and stays visible in `requests`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One answer; `body` chunks are written one after the other. */
export interface WireAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: readonly string[];
  /** `drop` destroys the connection after the body, `hang` leaves it open until the client goes. */
  readonly end?: 'drop' | 'hang';
}

export interface WireRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly body: Record<string, unknown>;
  /** What a strict endpoint found wrong with it. */
  readonly problem: string | undefined;
}

export interface ModelEndpoint {
  readonly url: string;
  readonly requests: readonly WireRequest[];
  close(): Promise<void>;
}

/** Starts an endpoint that gives these answers in order, and 500 after them. */
export async function startModelEndpoint(answers: readonly WireAnswer[]): Promise<ModelEndpoint> {
  const requests: WireRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    void readRequest(incoming).then((request) => {
      requests.push(request);
      const strict = { status: 400, body: [JSON.stringify({ error: { message: request.problem } })] };
      const absent = { status: 500, body: ['{"error":{"message":"no answer left"}}'] };
      sendAnswer(outgoing, request.problem === undefined ? (answers[requests.length - 1] ?? absent) : strict);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readRequest(incoming: IncomingMessage): Promise<WireRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const body = JSON.parse(text) as Record<string, unknown>;
  return { path: incoming.url ?? '', headers: incoming.headers, text, body, problem: findProblem(text, body) };
}

function sendAnswer(outgoing: ServerResponse, answer: WireAnswer): void {
  const type = (answer.status ?? 200) === 200 ? 'text/event-stream' : 'application/json';
  outgoing.writeHead(answer.status ?? 200, { 'content-type': type, ...answer.headers });
  outgoing.flushHeaders();
  const send = (index: number): void => {
    const chunk = answer.body[index];
    if (chunk !== undefined) {
      outgoing.write(chunk, () => send(index + 1));
    } else if (answer.end === 'drop') {
      outgoing.socket?.destroy();
    } else if (answer.end === undefined) {
      outgoing.end();
    }
  };
  send(0);
}

const LONE_SURROGATE = /\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f][0-9a-f]{2})|(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f][0-9a-f]{2}/i;

/** What a strict endpoint would reject in a request. */
function findProblem(text: string, body: Record<string, unknown>): string | undefined {
  if (LONE_SURROGATE.test(text)) return 'lone surrogate in request';
  const messages = Array.isArray(body.messages) ? (body.messages as Record<string, unknown>[]) : [];
  const calls = new Set<unknown>();
  for (const block of messages.flatMap(blocksOf)) {
    if (block.type === 'text' && block.text === '') return 'empty text block';
    if (block.type === 'tool_use') {
      if (typeof block.input !== 'object') return 'tool_use.input: expected an object';
      calls.add(block.id);
    }
    if (block.type === 'tool_result' && !calls.delete(block.tool_use_id)) return 'tool_result without its tool_use';
  }
  return calls.size === 0 ? undefined : 'tool_use without its tool_result';
}

function blocksOf(message: Record<string, unknown>): Record<string, unknown>[] {
  return Array.isArray(message.content) ? (message.content as Record<string, unknown>[]) : [];
}
