/**
 * Follows what the daemon does in a run, as if it were done here: progress is shown, the person is asked, Ctrl-C interrupts.
 * Any other signal ends the watching alone.
 *
 * 1. Every event is shown once and in order. What the daemon did not tell is read from the log, which is the truth.
 */
import { type Client, followRun } from '@ramet/client';
import { type Refusal, refuse } from '@ramet/core/codes';
import type { LoggedEvent, RunId } from '@ramet/core/events';
import { isGraphRun } from '@ramet/runtime/inspect';
import type { TurnObserver } from '@ramet/runtime/session';
import type { FileStore } from '@ramet/runtime/store';
import { readEndpoint } from '@ramet/server/endpoint';
import type { Asker } from '../commands/settings.ts';
import type { CliContext, Interruption } from '../context.ts';
import { type Answerer, makeAnswerer, type Question } from './answerer.ts';
import type { Live } from './connect.ts';

export interface Following {
  readonly store: FileStore;
  readonly id: RunId;
  /** Offset of the first event that is shown. */
  readonly from: number;
  readonly observer: Omit<TurnObserver, 'session'>;
  /** Absent: nobody is asked here; others may answer. */
  readonly ask?: Asker<Question>;
  readonly interruption: Interruption;
}

/** Follows until the daemon is not at work in the run any more; refuses to wait for that when it is told to end. */
export async function followDaemon(context: CliContext, client: Client, following: Following): Promise<Refusal | null> {
  const { store, id, observer, ask, interruption } = following;
  const answerer = ask === undefined ? makeHerald(store, id, observer) : makeAnswerer(client, id, ask);
  const left = new AbortController();
  const isLeaving = (): boolean => (interruption.cause() ?? 'SIGINT') !== 'SIGINT';
  const interrupt = (): void => {
    if (isLeaving()) left.abort();
    else void client.call('interrupt', { path: { id } }).catch(() => {});
  };
  interruption.signal.addEventListener('abort', interrupt, { once: true });
  if (interruption.signal.aborted) interrupt();
  let next = following.from;
  try {
    for await (const told of followRun(client, { id, from: next, signal: left.signal, sleep: context.sleep })) {
      if (told.kind === 'line') {
        next = told.offset + 1;
        observer.event?.(JSON.parse(told.line) as LoggedEvent);
      }
      if (told.kind === 'live') showLive(observer, told.data);
      if (told.kind === 'state') {
        const live = JSON.parse(told.data) as Live;
        answerer.heed(live.asks);
        if (live.owner !== 'daemon') break;
      }
      if (told.kind === 'end') break;
      // A connection that broke says nothing of the run; that nobody owns it does.
      if (told.kind === 'offline' && store.ownerOf(id) === null) break;
    }
  } finally {
    left.abort();
    answerer.close();
    interruption.signal.removeEventListener('abort', interrupt);
  }
  for (const event of store.read(id)?.readEvents({ from: next }) ?? []) observer.event?.(event);
  if (!isLeaving() || store.ownerOf(id) === null) return null;
  return refuse('interrupted', `watching ${id} was ended; the daemon goes on with it: ${goOnWith(store, id)}`, { id });
}

/** Says what waits for an answer that nobody here can give. */
function makeHerald(store: FileStore, id: RunId, { notice }: Following['observer']): Answerer {
  const told = new Set<string>();
  const heed = (open: Live['asks']): void => {
    for (const { node, callId, tool } of open) {
      const key = `${node ?? ''} ${callId}`;
      if (told.has(key)) continue;
      told.add(key);
      const page = readEndpoint(store.layout.home)?.url;
      const where = page === undefined ? '' : `on the page of the daemon (${page}), or `;
      notice?.(`${tool} waits for an answer: give it ${where}at a terminal: ${goOnWith(store, id)}`);
    }
  };
  return { heed, close: () => {} };
}

function goOnWith(store: FileStore, id: RunId): string {
  return isGraphRun(store, id) ? `ramet resume ${id}` : `ramet run --session ${id}`;
}

/** What streams is for eyes only: what is not understood is not shown. */
function showLive({ delta, toolOutput, notice }: Following['observer'], data: string): void {
  const { kind, text } = JSON.parse(data) as { readonly kind?: unknown; readonly text?: unknown };
  if (typeof text !== 'string') return;
  if (kind === 'text' || kind === 'reasoning') delta?.({ kind, text });
  else if (kind === 'output') toolOutput?.(text);
  else if (kind === 'notice') notice?.(text);
}
