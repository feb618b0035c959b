import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunId } from '@ramet/core';
import { type FileStore, openFileStore } from '@ramet/runtime/store';
import { buildSession, buildTurn, makeTestId } from '@ramet/testkit';
import { expectDone, ownOf } from '@ramet/testkit/store-contract';

/** A state folder of a test's own. */
export function makeHome(): string {
  return join(mkdtempSync(join(tmpdir(), 'ramet-store-')), 'state');
}

export const FIRST = makeTestId(1);
export const SECOND = makeTestId(2);

let now = Date.UTC(2030, 0, 1);

/** A store that seals above `sealBytes`, with a clock that counts. */
export function openTestStore(home: string, sealBytes?: number): FileStore {
  return openFileStore({ home, now: () => now++, ...(sealBytes === undefined ? {} : { sealBytes }) });
}

/** A session of some turns, each appended by its owner, so that segments are sealed on the way. */
export async function makeSession(store: FileStore, turns: number, id: RunId = FIRST): Promise<void> {
  const staged = store.stage(id);
  staged.append(buildSession({ id, turns: [{}] }));
  await staged.commit();
  const owner = await ownOf(store, id);
  for (let turn = 2; turn <= turns; turn += 1) await owner.append(buildTurn({}, turn), { durable: turn === turns });
  owner.close();
}

/** The segment files of a run, in order. */
export function segmentsOf(store: FileStore, id: RunId = FIRST): readonly string[] {
  const { log } = store.pathsOf(id);
  return readdirSync(log)
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((name) => join(log, name));
}

export function idxOf(segment: string): string {
  return segment.replace(/jsonl$/, 'idx');
}

/** The whole log as it lies on the disk. */
export function readLog(store: FileStore, id: RunId = FIRST): Buffer {
  return Buffer.concat(segmentsOf(store, id).map((path) => readFileSync(path)));
}

/** Offsets of the ends of turns. */
export function endsOf(store: FileStore, id: RunId = FIRST): readonly number[] {
  const events = [...(store.read(id)?.readEvents() ?? [])];
  return events.filter((event) => event.type === 'session.end').map((event) => event.seq);
}

export { expectDone };
