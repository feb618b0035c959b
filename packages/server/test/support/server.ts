/** A real server over a real store, with a daemon that drives nothing. */

import { isRefusal } from '@ramet/core';
import { type Feeds, openFeeds } from '@ramet/runtime/follow';
import type { RunServices } from '@ramet/runtime/graph';
import { type GraphHarness, makeGraphHarness } from '@ramet/testkit';
import type { Daemon } from '../../src/daemon/types.ts';
import { type ConnectionLimits, type Listening, listen, makeApp } from '../../src/http/index.ts';
import { findAnswerProblems } from './answers.ts';
import { type FakeDaemon, makeFakeDaemon } from './fake-daemon.ts';

export const TOKEN = 'a-token-of-a-test';

export interface ServerHarness {
  readonly h: GraphHarness;
  readonly daemon: FakeDaemon;
  readonly feeds: Feeds;
  readonly listening: Listening;
  readonly url: string;
  /** Errors that nobody expected. */
  readonly faults: readonly unknown[];
  /** The status of each answer that was a no. */
  readonly refused: readonly number[];
  /** Asks with the token; an answer that is not what the document says is thrown. */
  ask(method: string, path: string, options?: AskOptions): Promise<Answer>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

export interface AskOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // The tests know what they asked for; a schema checks what is answered.
  readonly json: any;
}

export interface ServerOptions {
  /** A daemon that really drives; absent: one that only notes what it is asked. */
  readonly openDaemon?: (services: RunServices) => Daemon;
  readonly limits?: Partial<ConnectionLimits>;
  readonly web?: string;
  readonly socket?: string;
  readonly keepAliveMs?: number;
}

export async function startServer(options: ServerOptions = {}): Promise<ServerHarness> {
  const h = makeGraphHarness();
  const services = h.servicesOf();
  const daemon = makeFakeDaemon(services);
  const driving = options.openDaemon?.(services) ?? daemon;
  const feeds = openFeeds(h.store);
  const faults: unknown[] = [];
  const refused: number[] = [];
  const { web = null, keepAliveMs = 15_000, limits = {}, socket = null } = options;
  const api = { services, daemon: driving, feeds, version: '0.0.0-test', cwd: h.repository, keepAliveMs };
  const app = makeApp({
    ...api,
    web,
    onFault: (error) => faults.push(error),
    onRefused: (status) => refused.push(status),
  });
  const listening = await listen({ app, token: TOKEN, host: '127.0.0.1', port: 0, allowRemote: false, socket, limits });
  if (isRefusal(listening)) throw new Error(listening.message);
  const { url } = listening;
  const fetchHere = (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (!headers.has('authorization')) headers.set('authorization', `Bearer ${TOKEN}`);
    return fetch(`${url}${path}`, { ...init, headers });
  };
  return {
    ...{ h, daemon, feeds, listening, url, faults, refused },
    fetch: fetchHere,
    ask: async (method, path, { body, headers = {} } = {}) => {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
      const response = await fetchHere(path, { method, headers: { ...type, ...headers }, ...sent });
      const text = await response.text();
      const answer = {
        status: response.status,
        headers: response.headers,
        json: text === '' ? null : JSON.parse(text),
      };
      const problems = findAnswerProblems(method, path, answer);
      if (problems.length > 0)
        throw new Error(`${method} ${path} answers what no document says:\n${problems.join('\n')}`);
      return answer;
    },
    close: async () => {
      await driving.close();
      feeds.close();
      await listening.close(100);
      h.remove();
    },
  };
}
