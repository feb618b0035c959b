/**
 * Forks of long sessions, each in a process of its own: in one that has done it before, and in one that has not, against
 * durably copying the bytes of the prefix.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { RunId } from '@ramet/core';
import type { FileStore } from '@ramet/runtime/store';
import { type Area, EVENTS_PER_TURN, makeSession, openStore } from './area.ts';
import { bundleWorker } from './bundle.ts';
import { copyLog, countOwnFiles } from './copies.ts';
import { measurePair, type Row } from './measure.ts';

/** What is promised is promised of long sessions. */
const LONG = 100_000;

/** Forks before the one that counts. */
const WARMUPS = 5;

interface Forked {
  readonly ms: number;
  readonly child: RunId;
  readonly own: number;
  readonly rssMb: number;
}

/** Forks at the first, middle and last boundary of sessions of these sizes, with and without index files. */
export async function measureForks(area: Area, sizes: readonly number[]): Promise<readonly Row[]> {
  const bench = { area, store: openStore(join(area.folder, 'fork')), worker: await bundleWorker('fork-worker.ts') };
  const rows: Row[] = [];
  for (const events of sizes) {
    const turns = Math.floor(events / EVENTS_PER_TURN);
    const places = { first: 1, middle: Math.ceil(turns / 2), last: turns };
    const id = await makeSession(bench.store, events);
    for (const [name, turn] of Object.entries(places)) {
      const place = { id, at: turn * EVENTS_PER_TURN, isLong: events >= LONG && turn > 1 };
      const what = `fork ${events} events, ${name} boundary`;
      rows.push(await measureFork(bench, { ...place, name: `${what}, in process`, warmups: WARMUPS }));
      rows.push(await measureFork(bench, { ...place, name: `${what}, new process`, warmups: 0 }));
    }
    const plain = { id: await makeSession(bench.store, events), at: turns * EVENTS_PER_TURN, isLong: events >= LONG };
    const what = `fork ${events} events, last, without idx`;
    rows.push(await measureUnindexed(bench, { ...plain, name: `${what}, in process`, warmups: WARMUPS }));
    rows.push(await measureUnindexed(bench, { ...plain, name: `${what}, new process`, warmups: 0 }));
  }
  return rows;
}

interface Bench {
  readonly area: Area;
  readonly store: FileStore;
  /** The bundled worker. */
  readonly worker: string;
}

interface Place {
  readonly id: RunId;
  readonly at: number;
  readonly name: string;
  readonly warmups: number;
  /** Long enough for what is promised. */
  readonly isLong: boolean;
}

function measureFork(bench: Bench, place: Place): Promise<Row> {
  const { store, area } = bench;
  const { id, at, isLong, warmups } = place;
  let last: Forked = { ms: 0, child: '' as RunId, own: 0, rssMb: 0 };
  const bytes = prefixBytes(store, place);
  return measurePair({
    name: place.name,
    floor: 'durably copying the bytes of the prefix',
    rounds: 7,
    subject: () => {
      last = forkElsewhere(bench, place, 'kept');
      return last.ms;
    },
    base: (round) => copyLog(store.pathsOf(id).log, bytes, join(area.folder, `copy-${id}-${at}-${warmups}-${round}`)),
    ...(isLong ? { target: { ratio: 0.2, ...(warmups > 0 ? { ms: 10 } : {}) } } : {}),
    note: () => `${last.own} new bytes, ${countOwnFiles(store, last.child)} new inodes, ${last.rssMb} MB of memory`,
  });
}

function measureUnindexed(bench: Bench, place: Place): Promise<Row> {
  const { log } = bench.store.pathsOf(place.id);
  return measurePair({
    name: place.name,
    floor: 'hashing the log once',
    rounds: 7,
    subject: () => forkElsewhere(bench, place, 'removed').ms,
    base: () => hashLog(log, bench.area),
    ...(place.isLong ? { target: { ratio: 2 } } : {}),
  });
}

function forkElsewhere({ store, worker }: Bench, { id, at, warmups }: Place, indexes: 'kept' | 'removed'): Forked {
  // What earlier rounds left to be written is not the fork's to wait for.
  spawnSync('sync');
  const args = [worker, store.layout.home, id, String(at), String(warmups), indexes];
  const done = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(done.stderr);
  return JSON.parse(done.stdout) as Forked;
}

function hashLog(log: string, area: Area): number {
  const script = `const fs=require('fs'),c=require('crypto');const t=performance.now();for(const n of fs.readdirSync(process.argv[1]))if(n.endsWith('.jsonl'))for(const l of fs.readFileSync(process.argv[1]+'/'+n,'latin1').split('\\n'))c.hash('sha256',l);console.log(performance.now()-t)`;
  const done = spawnSync(process.execPath, ['-e', script, log], { encoding: 'utf8', cwd: area.folder });
  return Number(done.stdout);
}

function prefixBytes(store: FileStore, place: Place): number {
  const outline = store.read(place.id)?.readOutline();
  let bytes = 0;
  for (const [index, head] of outline?.heads.entries() ?? []) {
    const mark = outline?.readDetail(index).boundaries.find((boundary) => boundary.offset === place.at);
    if (mark !== undefined) return bytes + mark.position + mark.bytes + 1;
    bytes += head.bytes;
  }
  return bytes;
}
