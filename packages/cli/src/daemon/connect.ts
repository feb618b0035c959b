/** The daemon of the state folder, where there is one, and whether it is at work in a run. */
import { type Client, makeClient } from '@ramet/client';
import type { RunId } from '@ramet/core/events';
import { isGraphRun } from '@ramet/runtime/inspect';
import { acquireLock, type FileStore } from '@ramet/runtime/store';
import { daemonPathsOf, readEndpoint, readToken } from '@ramet/server/endpoint';
import type { CliContext } from '../context.ts';
import { makeSocketFetch } from './socket-fetch.ts';

/** What a daemon says of who works on a run, and what it asks. */
export type Live = Awaited<ReturnType<typeof readLive>>;

/** Makes a client of the daemon that was last announced; null when none was. Whether it lives shows when it is called. */
async function connectDaemon({ env }: Pick<CliContext, 'env'>, store: FileStore): Promise<Client | null> {
  const { home } = store.layout;
  const endpoint = readEndpoint(home);
  if (endpoint === null) return null;
  const { url, socket } = endpoint;
  if (socket !== null) return makeClient({ baseUrl: 'http://localhost', fetch: makeSocketFetch(socket) });
  const token = readToken(home, env);
  return token !== null && (await isServed(home)) ? makeClient({ baseUrl: url, token }) : null;
}

/** Where a daemon died another program may listen by now: it is not shown the token. */
async function isServed(home: string): Promise<boolean> {
  const free = await acquireLock(daemonPathsOf(home).lock, 'shared');
  free?.release();
  return free === null;
}

/** Finds the daemon that is at work in a run; null when there is none, or it is not at work there. */
export async function findDriver(
  context: Pick<CliContext, 'env'>,
  store: FileStore,
  id: RunId,
): Promise<Client | null> {
  const client = await connectDaemon(context, store);
  if (client === null) return null;
  try {
    const { owner } = await readLive(client, store, id);
    return owner === 'daemon' ? client : null;
  } catch {
    // Nobody answers there, or it is no daemon of ours: then it drives nothing.
    return null;
  }
}

/** Asks who works on a run. */
export async function readLive(client: Client, store: FileStore, id: RunId) {
  const request = { path: { id } };
  const { live } = isGraphRun(store, id)
    ? await client.call('readRun', request)
    : await client.call('readSession', request);
  return live;
}
