/** What the handlers of the API work with, and how they find what a request names. */
import { isRefusal, makeRunId, parseRunId, type Refusal, type RunId } from '@ramet/core';
import type { Feeds } from '@ramet/runtime/follow';
import type { RunServices } from '@ramet/runtime/graph';
import { findGraphRun, findRun } from '@ramet/runtime/inspect';
import type { Daemon } from '../daemon/types.ts';
import type { Rows } from './rows.ts';

/** What the API serves. */
export interface Api {
  readonly services: RunServices;
  readonly daemon: Daemon;
  readonly feeds: Feeds;
  readonly version: string;
  /** The folder the daemon was started in: whose project's configuration the capabilities tell of. */
  readonly cwd: string;
  /** How often a silent stream shows that it lives. Absent: every 15 seconds. */
  readonly keepAliveMs?: number;
}

/** What each handler is given. */
export interface Served extends Api {
  readonly rows: Rows;
}

/** The session or run a text names. */
export function findNamed({ services: { store } }: Api, text: string): RunId | Refusal {
  const id = parseRunId(text);
  // A whole id needs no list of all others.
  return id !== null && store.read(id) !== null ? id : findRun(store, text);
}

/** The graph run a text names. */
export function findNamedRun(api: Api, text: string): RunId | Refusal {
  const id = findNamed(api, text);
  return isRefusal(id) ? id : findGraphRun(api.services.store, id);
}

/** A new id. */
export function makeId({ services: { now, randomBytes } }: Api): RunId {
  return makeRunId(now(), randomBytes(10));
}

/** What a refusal is, else what is made of the value. */
export function mapAnswer<T, R>(answer: T | Refusal, map: (value: T) => R): R | Refusal {
  return isRefusal(answer) ? answer : map(answer);
}
