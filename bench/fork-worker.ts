/** Forks in a process of its own, some times to get warm and then once more, and tells how long that took; started by fork.ts. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal, type RunId } from '@ramet/core';
import { forkSession } from '@ramet/runtime/fork';
import { makeId, openStore } from './area.ts';

const [home = '', id = '', at = '', warmups = '0', indexes = 'kept'] = process.argv.slice(2);
const store = openStore(home);

for (let round = 0; round < Number(warmups); round += 1) await forkOnce();
const { ms, forked } = await forkOnce();
const rssMb = Math.round(process.resourceUsage().maxRSS / 1024);
process.stdout.write(JSON.stringify({ ms, child: forked.session, own: forked.bytes.own, rssMb }));

async function forkOnce() {
  if (indexes === 'removed') removeIndexes();
  const started = performance.now();
  const made = await forkSession({ store, makeId }, id as RunId, { at: Number(at) });
  const taken = performance.now() - started;
  if (isRefusal(made)) throw new Error(made.message);
  return { ms: taken, forked: made };
}

function removeIndexes(): void {
  const { log } = store.pathsOf(id as RunId);
  for (const name of readdirSync(log)) if (name.endsWith('.idx')) rmSync(join(log, name));
}
