/** Acts on a store of runs that tests share: making a session, owning and sharing one, reading its bytes. */
import { isRefusal, type RunId } from '@ramet/core';
import type { OwnedLog, RunStore, SharedLog } from '@ramet/runtime/store';
import { buildSession, makeTestId } from './log-builders.ts';

/** Opens an empty store. */
export type OpenStore = () => RunStore;

export const FIRST = makeTestId(1);
export const SECOND = makeTestId(2);

/** Puts a session of some turns into a store. */
export async function commitSession(store: RunStore, id: RunId, turns = 2): Promise<void> {
  const staged = store.stage(id);
  staged.append(buildSession({ id, turns: Array.from({ length: turns }, () => ({})) }));
  await staged.commit();
}

/** Owns a run, or fails the test. */
export async function ownOf(store: RunStore, id: RunId): Promise<OwnedLog> {
  return expectDone(await store.own(id));
}

/** Shares a run, or fails the test. */
export async function shareOf(store: RunStore, id: RunId): Promise<SharedLog> {
  return expectDone(await store.share(id));
}

/** The value, when it is no refusal. */
export function expectDone<T>(value: T): Exclude<T, { kind: 'refusal' }> {
  if (isRefusal(value)) throw new Error(`refused: ${value.code}: ${value.message}`);
  return value as Exclude<T, { kind: 'refusal' }>;
}

/** All bytes of a run's log. */
export function bytesOf(store: RunStore, id: RunId): Buffer {
  const reader = store.read(id);
  if (reader === null) throw new Error(`there is no run ${id}`);
  return Buffer.concat([...reader.readBytes()].map((line) => Buffer.from(line)));
}

/** Counted child ids. */
export function countIds(from = 100): () => RunId {
  let next = from;
  return () => makeTestId(next++);
}

/** The code of a refusal; null for anything else. */
export function codeOf(value: unknown): string | null {
  return isRefusal(value) ? value.code : null;
}
