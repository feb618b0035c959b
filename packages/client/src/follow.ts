/**
 * Follows the events of a run, over as many connections as it takes.
 *
 * 1. Every line of the log is given once and in order, whatever breaks in between: each connection begins after the last.
 *    Only a `rewind` takes lines back: what follows it begins there.
 */
import type { Client } from './client.ts';
import { ApiProblem, Unreachable } from './problem.ts';
import { readServerSentEvents, type ServerSentEvent } from './server-sent-events.ts';

export type Followed =
  | { readonly kind: 'line'; readonly offset: number; readonly line: string }
  /** What happens as it happens, and who works on it: in no event, `data` is JSON. */
  | { readonly kind: 'live' | 'state'; readonly data: string }
  /** Lines from this offset on are not in the log: an append failed and was cut back, or a machine crashed. */
  | { readonly kind: 'rewind'; readonly offset: number }
  /** The connection broke; it is tried again after `waitMs`. */
  | { readonly kind: 'offline'; readonly waitMs: number }
  | { readonly kind: 'online' }
  | { readonly kind: 'end'; readonly data: string };

export interface FollowOptions {
  readonly id: string;
  /** The first offset that is wanted. */
  readonly from: number;
  readonly signal: AbortSignal;
  /** Waits; injected, so that tests need no time. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 10_000;

/** Follows a run until it ends or the signal aborts; throws `ApiProblem` for what another try would not mend. */
export async function* followRun(client: Client, options: FollowOptions): AsyncGenerator<Followed> {
  let next = options.from;
  let waitMs = FIRST_WAIT_MS;
  while (!options.signal.aborted) {
    const stream = await connect(client, options, next);
    if (stream !== null) {
      yield { kind: 'online' };
      waitMs = FIRST_WAIT_MS;
      for await (const event of readUntilBroken(stream)) {
        const followed = readEvent(event);
        if (followed.kind === 'line') next = followed.offset + 1;
        if (followed.kind === 'rewind') next = followed.offset;
        yield followed;
        if (followed.kind === 'end') return;
      }
    }
    if (options.signal.aborted) return;
    yield { kind: 'offline', waitMs };
    await options.sleep(waitMs, options.signal).catch(() => {});
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }
}

async function connect(
  client: Client,
  { id, signal }: FollowOptions,
  next: number,
): Promise<ReadableStream<Uint8Array> | null> {
  const from = next === 0 ? { query: { from: 0 } } : {};
  const headers = next === 0 ? {} : { headers: { 'last-event-id': String(next - 1) } };
  try {
    const { body } = await client.open('followEvents', { path: { id }, ...from }, { signal, ...headers });
    return body;
  } catch (error) {
    if (isPassing(error) || signal.aborted) return null;
    throw error;
  }
}

/** Of whoever stands between, when there is nobody behind: bad gateway, unavailable, gateway timeout. */
const GATEWAY: ReadonlySet<number> = new Set([502, 503, 504]);

/** Nobody is there, or the daemon is about to end: the next one goes on where this one was. */
function isPassing(error: unknown): boolean {
  if (error instanceof Unreachable) return true;
  return error instanceof ApiProblem && (error.code === 'interrupted' || GATEWAY.has(error.status));
}

/** A stream that breaks off ends here. */
async function* readUntilBroken(stream: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  try {
    yield* readServerSentEvents(stream);
  } catch {
    // Whoever follows connects again.
  }
}

function readEvent({ id, event, data }: ServerSentEvent): Followed {
  if (id !== undefined) return { kind: 'line', offset: Number(id), line: data };
  if (event === 'rewind') return { kind: 'rewind', offset: (JSON.parse(data) as { readonly offset: number }).offset };
  return event === 'end' ? { kind: 'end', data } : { kind: event === 'state' ? 'state' : 'live', data };
}
