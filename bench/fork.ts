/** Forks of long sessions, each in a new process, against durably copying the bytes of the prefix. */
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunId } from '@ramet/core';
import type { FileStore } from '@ramet/runtime/store';
import { type Area, EVENTS_PER_TURN, makeSession, openStore } from './area.ts';
import { copyLog, countOwnFiles } from './copies.ts';
import { measurePair, type Row } from './measure.ts';

const WORKER = fileURLToPath(new URL('./fork-worker.ts', import.meta.url));

interface Forked {
  readonly ms: number;
  readonly child: RunId;
  readonly own: number;
  readonly rssMb: number;
}

/** Forks at the first, middle and last boundary of sessions of these sizes, with and without index files. */
export async function measureForks(area: Area, sizes: readonly number[]): Promise<readonly Row[]> {
  const home = join(area.folder, 'fork');
  const store = openStore(home);
  const rows: Row[] = [];
  for (const events of sizes) {
    const id = await makeSession(store, events);
    const turns = Math.floor(events / EVENTS_PER_TURN);
    const places = {
      first: EVENTS_PER_TURN,
      middle: Math.ceil(turns / 2) * EVENTS_PER_TURN,
      last: turns * EVENTS_PER_TURN,
    };
    for (const [name, at] of Object.entries(places)) {
      rows.push(await measureFork(area, store, { id, at, name: `fork ${events} events, ${name} boundary` }));
    }
    const plain = await makeSession(store, events);
    rows.push(
      await measureUnindexed(area, store, {
        id: plain,
        at: places.last,
        name: `fork ${events} events, last, without idx`,
      }),
    );
  }
  return rows;
}

interface Place {
  readonly id: RunId;
  readonly at: number;
  readonly name: string;
}

function measureFork(area: Area, store: FileStore, place: Place): Promise<Row> {
  let last: Forked = { ms: 0, child: '' as RunId, own: 0, rssMb: 0 };
  const bytes = prefixBytes(store, place);
  return measurePair({
    name: place.name,
    floor: 'durably copying the bytes of the prefix',
    rounds: 7,
    subject: () => {
      last = forkOnce(store, place);
      return last.ms;
    },
    base: (round) =>
      copyLog(store.pathsOf(place.id).log, bytes, join(area.folder, `copy-${place.id}-${place.at}-${round}`)),
    target: { ms: 10, ratio: 0.2 },
    note: () => `${last.own} new bytes, ${countOwnFiles(store, last.child)} new inodes, ${last.rssMb} MB of memory`,
  });
}

function measureUnindexed(area: Area, store: FileStore, place: Place): Promise<Row> {
  const { log } = store.pathsOf(place.id);
  return measurePair({
    name: place.name,
    floor: 'hashing the log once',
    rounds: 5,
    subject: () => {
      for (const name of readdirSync(log)) if (name.endsWith('.idx')) rmSync(join(log, name));
      return forkOnce(store, place).ms;
    },
    base: () => hashLog(log, area),
    target: { ratio: 2 },
  });
}

function forkOnce(store: FileStore, place: Place): Forked {
  const args = [WORKER, store.layout.home, place.id, String(place.at)];
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
