/**
 * Follows what the daemon does in a run, as if it were done here: progress is shown, the person is asked, Ctrl-C interrupts.
 *
 * 1. Every event is shown once and in order. What the daemon did not tell is read from the log, which is the truth.
 */
import { type Client, followRun } from '@ramet/client';
import type { LoggedEvent, RunId } from '@ramet/core/events';
import type { TurnObserver } from '@ramet/runtime/session';
import type { FileStore } from '@ramet/runtime/store';
import type { Asker } from '../commands/settings.ts';
import type { CliContext, Interruption } from '../context.ts';
import { makeAnswerer, type Question } from './answerer.ts';
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

/** Follows until the daemon is not at work in the run any more. */
export async function followDaemon(context: CliContext, client: Client, following: Following): Promise<void> {
  const { store, id, observer, ask, interruption } = following;
  const answerer = ask === undefined ? null : makeAnswerer(client, id, ask);
  const left = new AbortController();
  const interrupt = (): void => void client.call('interrupt', { path: { id } }).catch(() => {});
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
        answerer?.heed(live.asks);
        if (live.owner !== 'daemon') break;
      }
      if (told.kind === 'end') break;
      // A connection that broke says nothing of the run; that nobody owns it does.
      if (told.kind === 'offline' && store.ownerOf(id) === null) break;
    }
  } finally {
    left.abort();
    answerer?.close();
    interruption.signal.removeEventListener('abort', interrupt);
  }
  for (const event of store.read(id)?.readEvents({ from: next }) ?? []) observer.event?.(event);
}

/** What streams is for eyes only: what is not understood is not shown. */
function showLive({ delta, toolOutput, notice }: Following['observer'], data: string): void {
  const { kind, text } = JSON.parse(data) as { readonly kind?: unknown; readonly text?: unknown };
  if (typeof text !== 'string') return;
  if (kind === 'text' || kind === 'reasoning') delta?.({ kind, text });
  else if (kind === 'output') toolOutput?.(text);
  else if (kind === 'notice') notice?.(text);
}
