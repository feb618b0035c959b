/** Appending, and opening with a fold. */
import { closeSync, fdatasyncSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createSessionFold, isRefusal, type RunId } from '@ramet/core';
import type { FileStore } from '@ramet/runtime/store';
import { type Area, draftTurn, makeSession, openStore } from './area.ts';
import { measurePair, type Row } from './measure.ts';

/** Appends with durability, against writing and syncing the same bytes. */
export async function measureAppend(area: Area): Promise<readonly Row[]> {
  const store = openStore(join(area.folder, 'append'));
  const id = await makeSession(store, 5);
  const log = await store.own(id);
  if (isRefusal(log)) throw new Error(log.message);
  const fd = openSync(join(area.folder, 'append.floor'), 'a');
  const drafts = draftTurn(2000);
  const bytes = Buffer.alloc(Buffer.byteLength(JSON.stringify(drafts)) + 5 * 150, 'x');
  const batch = 20;
  const row = await measurePair({
    name: `append ${batch} × 5 events, durable`,
    floor: 'write + fdatasync of the same bytes',
    rounds: 15,
    subject: async () => {
      for (let index = 0; index < batch; index += 1) await log.append(drafts, { durable: true });
    },
    base: () => {
      for (let index = 0; index < batch; index += 1) {
        writeSync(fd, bytes);
        fdatasyncSync(fd);
      }
    },
  });
  log.close();
  closeSync(fd);
  return [row];
}

/** Opens a log and folds it, against reading and parsing the same lines. */
export async function measureOpen(area: Area, sizes: readonly number[]): Promise<readonly Row[]> {
  const store = openStore(join(area.folder, 'open'));
  const rows: Row[] = [];
  for (const events of sizes) {
    const id = await makeSession(store, events);
    rows.push(
      await measurePair({
        name: `open and fold ${events} events`,
        floor: 'read + JSON.parse of the same lines',
        rounds: events > 50_000 ? 5 : 11,
        subject: () => foldLog(store, id),
        base: () => parseLog(store, id),
        target: { ratio: 2 },
      }),
    );
  }
  return rows;
}

function foldLog(store: FileStore, id: RunId): void {
  const fold = createSessionFold();
  for (const event of store.read(id)?.readEvents() ?? []) fold.add(event);
  if (fold.state.turns === 0) throw new Error('nothing was folded');
}

function parseLog(store: FileStore, id: RunId): void {
  const { log } = store.pathsOf(id);
  let count = 0;
  for (const name of readdirSync(log).filter((entry) => entry.endsWith('.jsonl'))) {
    for (const line of readFileSync(join(log, name), 'utf8').split('\n')) {
      if (line !== '' && JSON.parse(line)) count += 1;
    }
  }
  if (count === 0) throw new Error('nothing was parsed');
}
