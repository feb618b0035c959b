/** Planning a fork of a long run: from events that are parsed, and from what a store keeps beside its segments. */
import { join } from 'node:path';
import {
  compileGraph,
  type Effect,
  type EventDraft,
  hashGraph,
  isRefusal,
  planRunFork,
  type RunForkSource,
  type RunId,
} from '@ramet/core';
import { sha256 } from '@ramet/runtime/store';
import { buildNode, buildRunStart, encodeLog, makeForkSource } from '@ramet/testkit';
import { type Area, makeId, openStore } from '../area.ts';
import { measurePair, type Row } from '../measure.ts';
import { makeMap } from './documents.ts';

const DOCUMENT = makeMap(16);
const GRAPH = compileGraph(DOCUMENT, hashGraph(DOCUMENT, sha256));
/** Of a map's item: its node's enter, its call's intent and result, its node's exit, and its end. */
const EVENTS_PER_ITEM = 5;
/** Events that are appended at a time. */
const BATCH = 1000;

/** Plans a fork in the middle of a map: with calls that are reads, and with as many writes to show. */
export async function measurePlans(area: Area, events: number): Promise<readonly Row[]> {
  const items = Math.floor(events / EVENTS_PER_ITEM);
  const fromNode = `items[${Math.floor(items / 2)}]/call`;
  const rows: Row[] = [];
  for (const effect of ['read', 'write'] as const) {
    const id = makeId();
    const drafts = [buildRunStart({ id, graph: GRAPH.hash }), ...draftItems(items, effect)];
    const home = join(area.folder, `plan-${effect}`);
    await store(home, id, drafts);
    const lines = encodeLog(drafts);
    const texts = lines.map(({ bytes }) => Buffer.from(bytes).toString());
    const parsed = { ...makeForkSource(lines), graph: GRAPH, fileTools: new Map() };
    const pairing = {
      floor: 'JSON.parse of its lines',
      rounds: 9,
      base: () => {
        for (const text of texts) JSON.parse(text);
      },
      target: { ms: 50 },
      note: `${countWrites(parsed, fromNode)} writes to show`,
    };
    const named = (from: string) => `plan a fork of ${lines.length} events, ${from}, each call a ${effect}`;
    const plan = (source: RunForkSource) => void countWrites(source, fromNode);
    rows.push(await measurePair({ ...pairing, name: named('parsed'), subject: () => plan(parsed) }));
    rows.push(await measurePair({ ...pairing, name: named('stored'), subject: () => plan(readStored(home, id)) }));
  }
  return rows;
}

async function store(home: string, id: RunId, [start, ...rest]: readonly EventDraft[]): Promise<void> {
  const opened = openStore(home);
  const staged = opened.stage(id);
  staged.append(start === undefined ? [] : [start]);
  await staged.commit();
  const log = await opened.own(id);
  if (isRefusal(log)) throw new Error(log.message);
  for (let from = 0; from < rest.length; from += BATCH) {
    await log.append(rest.slice(from, from + BATCH), { durable: false });
  }
  log.close();
}

function draftItems(items: number, effect: Effect): readonly EventDraft[] {
  const map = 'items';
  const drafts: EventDraft[] = [
    ...buildNode({ path: map, outcome: null }),
    { type: 'map.open', node: map, count: items },
  ];
  for (let index = 0; index < items; index += 1) {
    const call = { callId: 'call', tool: 'step', input: index, effect, contained: false };
    drafts.push(...buildNode({ path: `${map}[${index}]/call`, input: index, output: 'ok', calls: [call] }));
    drafts.push({ type: 'map.item', node: map, index, outcome: 'ok', output: 'ok' });
  }
  return drafts;
}

/** As a process finds it that has just started. */
function readStored(home: string, id: RunId): RunForkSource {
  const outline = openStore(home).read(id)?.readOutline();
  if (outline === undefined) throw new Error(`there is no run ${id}`);
  return { ...outline, graph: GRAPH, fileTools: new Map() };
}

function countWrites(source: RunForkSource, fromNode: string): number {
  const plan = planRunFork(source, { fromNode });
  if (isRefusal(plan)) throw new Error(plan.message);
  return plan.writes.length;
}
