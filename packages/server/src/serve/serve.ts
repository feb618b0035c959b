/**
 * A daemon at work: the only one of its state folder, with its API and pages, until it is closed.
 *
 * 1. Nothing of the state folder is touched before its lock is held, and the lock is let go last.
 * 2. It is announced when it can answer, and no longer once it ends.
 */
import { isRefusal, type Refusal } from '@ramet/core';
import { sweepChecks } from '@ramet/runtime/compare';
import { openFeeds } from '@ramet/runtime/follow';
import type { RunServices } from '@ramet/runtime/graph';
import { given } from '../daemon/given.ts';
import { type DaemonReport, openDaemon } from '../daemon/index.ts';
import { chooseToken, removeEndpoint, writeEndpoint } from '../endpoint/index.ts';
import { listen, makeApp, socketPathOf } from '../http/index.ts';
import { claimStateFolder } from './claim.ts';
import { makeRefusalCounter } from './refusals.ts';

export interface ServeOptions {
  readonly services: RunServices;
  readonly cwd: string;
  readonly version: string;
  readonly host: string;
  readonly port: number;
  /** A host that other machines reach is meant. */
  readonly allowRemote: boolean;
  /** The folder of the built browser interface; null where there is none. */
  readonly web: string | null;
  readonly report?: (report: DaemonReport) => void;
  /** Hears of errors that nobody expected. */
  readonly onFault?: (error: unknown) => void;
  /** Hears of refused requests: how many of a status there were since it heard of that one last. */
  readonly onRefused?: (status: number, count: number) => void;
}

/** A daemon that answers. */
export interface Serving {
  /** Like `http://127.0.0.1:18473`. */
  readonly url: string;
  readonly socket: string | null;
  readonly token: string;
  /** Suspends what it drives and lets go of everything. */
  close(): Promise<void>;
}

/** How long a stream that somebody follows may go on after the work has ended. */
const STREAMS_GRACE_MS = 500;

/** Becomes the daemon of a state folder and listens; refuses while another is, and what cannot be listened on. */
export async function serve(options: ServeOptions): Promise<Serving | Refusal> {
  const { store } = options.services;
  const lock = await claimStateFolder(store.layout.home);
  if (isRefusal(lock)) return lock;
  try {
    const serving = await open(options);
    if (isRefusal(serving)) {
      lock.release();
      return serving;
    }
    const close = async (): Promise<void> => {
      await serving.close();
      lock.release();
    };
    return { ...serving, close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function open(options: ServeOptions): Promise<Serving | Refusal> {
  const { services, host, port, allowRemote, onRefused = () => {} } = options;
  const { store, env, randomBytes, now } = services;
  const { home } = store.layout;
  const token = chooseToken(home, { env, randomBytes });
  if (isRefusal(token)) return token;
  sweepChecks(home);
  const feeds = openFeeds(store);
  const publish: (typeof feeds)['publish'] = (id, live) => feeds.publish(id, live);
  const { cwd, version, web, report, onFault } = options;
  const daemon = openDaemon({ services, cwd, publish, ...given({ report }) });
  const counter = makeRefusalCounter(now, onRefused);
  const app = makeApp({ services, daemon, feeds, version, cwd, web, ...given({ onFault }), onRefused: counter });
  const socket = socketPathOf({ home, env });
  const listening = await listen({ app, token, host, port, allowRemote, socket });
  const end = async (): Promise<void> => {
    await daemon.close();
    feeds.close();
  };
  if (isRefusal(listening)) {
    await end();
    return listening;
  }
  await daemon.takeUp();
  const { url } = listening;
  const started = new Date(now()).toISOString();
  writeEndpoint(home, { url, socket: listening.socket, pid: process.pid, started, version });
  const close = async (): Promise<void> => {
    removeEndpoint(home);
    const quiet = listening.close(STREAMS_GRACE_MS);
    await end();
    await quiet;
  };
  return { url, socket: listening.socket, token, close };
}
