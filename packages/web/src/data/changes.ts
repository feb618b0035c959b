/**
 * Follows what changes in the store, and marks answers that are stale by it.
 *
 * 1. A list is asked for again at most once in a while, however much happens.
 * 2. After every connection everything counts as stale: what happened before it was not told.
 */
import { ApiProblem, type Client, readServerSentEvents, Unreachable } from '@ramet/client';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useApi } from '../app/api.tsx';
import { keys } from './keys.ts';
import { sleep } from './sleep.ts';

const GATHER_MS = 1_000;
/** What takes long is done for at most so small a part of the time. */
const RARITY = 20;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** A page comes back soon after its daemon. */
const LONGEST_AWAY_MS = 3_000;

/** Keeps every answer on the page fresh while the component is there; answers whether the daemon can be reached. */
export function useChanges(): boolean {
  const api = useApi();
  const queries = useQueryClient();
  const [isThere, setThere] = useState(true);
  useEffect(() => {
    const stop = new AbortController();
    void followChanges({ api, queries, signal: stop.signal, onThere: setThere });
    return () => stop.abort();
  }, [api, queries]);
  return isThere;
}

interface FollowOptions {
  readonly api: Client;
  readonly queries: QueryClient;
  readonly signal: AbortSignal;
  readonly onThere: (isThere: boolean) => void;
}

async function followChanges({ api, queries, signal, onThere }: FollowOptions): Promise<void> {
  const stale = gatherStale(queries, signal);
  let waitMs = FIRST_WAIT_MS;
  while (!signal.aborted) {
    try {
      const { body } = await api.open('followChanges', {}, { signal });
      waitMs = FIRST_WAIT_MS;
      onThere(true);
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'payload' });
      if (body !== null) for await (const { data } of readServerSentEvents(body)) stale.add(data);
    } catch (error) {
      if (error instanceof Unreachable && !signal.aborted) onThere(false);
      // The next daemon may want another token: whatever asks with this one is told.
      if (error instanceof ApiProblem && error.status === 401) void queries.invalidateQueries({ queryKey: keys.inbox });
      // Whatever else it was: the lists are polled meanwhile, and say what is wrong.
    }
    await sleep(waitMs, signal).catch(() => {});
    waitMs = Math.min(waitMs * 2, LONGEST_AWAY_MS);
  }
}

interface Stale {
  add(data: string): void;
}

/** Takes the ids of what changed, and marks them after a moment, all at once. */
function gatherStale(queries: QueryClient, signal: AbortSignal): Stale {
  const ids = new Set<string>();
  const markIds = gather(signal, async () => {
    for (const id of ids) void queries.invalidateQueries({ queryKey: keys.of(id) });
    ids.clear();
    markLists();
  });
  const markLists = gather(signal, async () => {
    await Promise.all(LISTS.map((queryKey) => queries.invalidateQueries({ queryKey })));
  });
  return {
    add: (data) => {
      const id = readId(data);
      if (id === null) return;
      ids.add(id);
      markIds();
    },
  };
}

const LISTS = [keys.rows, keys.inbox, keys.usage];

/** Calls once for all that is asked within a moment: a longer one where the call takes long, so that it is rare. */
function gather(signal: AbortSignal, call: () => Promise<void>): () => void {
  let waitMs = GATHER_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = async () => {
    timer = undefined;
    const began = performance.now();
    await call();
    waitMs = Math.min(Math.max(GATHER_MS, (performance.now() - began) * RARITY), LONGEST_WAIT_MS);
  };
  signal.addEventListener('abort', () => clearTimeout(timer));
  return () => {
    if (!signal.aborted) timer ??= setTimeout(() => void run(), waitMs);
  };
}

function readId(data: string): string | null {
  try {
    const { id } = JSON.parse(data) as { readonly id?: unknown };
    return typeof id === 'string' ? id : null;
  } catch {
    return null;
  }
}
