/** Forks once in a fresh process and tells how long that took; started by fork.ts. */
import { isRefusal, type RunId } from '@ramet/core';
import { forkSession } from '@ramet/runtime/fork';
import { makeId, openStore } from './area.ts';

const [home = '', id = '', at = ''] = process.argv.slice(2);
const store = openStore(home);
const started = performance.now();
const forked = await forkSession({ store, makeId }, id as RunId, { at: Number(at) });
const ms = performance.now() - started;
if (isRefusal(forked)) throw new Error(forked.message);
const rssMb = Math.round(process.resourceUsage().maxRSS / 1024);
process.stdout.write(JSON.stringify({ ms, child: forked.session, own: forked.bytes.own, rssMb }));
