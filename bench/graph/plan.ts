/** Planning a fork of a long run: from events that are parsed, and from what a store keeps beside its segments. */
import { join } from 'node:path';
import {
  compileGraph,
  type EventDraft,
  hashGraph,
  isRefusal,
  planRunFork,
  type RunForkSource,
  type RunId,
} from '@ramet/core';
import { sha256 } from '@ramet/runtime/store';
import { buildNode, buildRunStart, encodeLog, makeForkSource, writeLogFolder } from '@ramet/testkit';
import { type Area, makeId, openStore } from '../area.ts';
import { measurePair, type Row } from '../measure.ts';
import { makeMap } from './documents.ts';

/** Of a map's item: its node's enter, its call's intent and result, its node's exit, and its end. */
const EVENTS_PER_ITEM = 5;
const SEGMENT_BYTES = 1024 * 1024;

/** Plans a fork in the middle of a map, each of whose calls is a write that left: what is run again is evidence, too. */
export async function measurePlans(area: Area, events: number): Promise<readonly Row[]> {
  const items = Math.floor(events / EVENTS_PER_ITEM);
  const document = makeMap(16);
  const graph = compileGraph(document, hashGraph(document, sha256));
  const id = makeId();
  const lines = encodeLog([buildRunStart({ id, graph: graph.hash }), ...draftItems(items)]);
  const home = join(area.folder, 'plan');
  writeLogFolder(openStore(home).pathsOf(id).folder, lines, { segmentBytes: SEGMENT_BYTES });
  const fromNode = `items[${Math.floor(items / 2)}]/call`;
  const inMemory = (): number => countWrites({ ...makeForkSource(lines), graph }, fromNode);
  const stored = (): number => countWrites({ ...readOutline(home, id), graph }, fromNode);
  const note = `${inMemory()} writes to show; from a store ${stored()}`;
  const texts = lines.map(({ bytes }) => Buffer.from(bytes).toString());
  const shared = {
    floor: 'JSON.parse of its lines',
    rounds: 9,
    base: () => {
      for (const text of texts) JSON.parse(text);
    },
    target: { ms: 50 },
    note,
  };
  return [
    await measurePair({
      ...shared,
      name: `plan a fork of ${lines.length} parsed events of a run`,
      subject: () => void inMemory(),
    }),
    await measurePair({
      ...shared,
      name: `plan a fork of a stored run of ${lines.length} events`,
      subject: () => void stored(),
    }),
  ];
}

function draftItems(items: number): readonly EventDraft[] {
  const map = 'items';
  const drafts: EventDraft[] = [
    ...buildNode({ path: map, outcome: null }),
    { type: 'map.open', node: map, count: items },
  ];
  for (let index = 0; index < items; index += 1) {
    const call = { callId: 'call', tool: 'step', input: index, contained: false };
    drafts.push(...buildNode({ path: `${map}[${index}]/call`, input: index, output: 'ok', calls: [call] }));
    drafts.push({ type: 'map.item', node: map, index, outcome: 'ok', output: 'ok' });
  }
  return drafts;
}

function readOutline(home: string, id: RunId): Omit<RunForkSource, 'graph'> {
  const outline = openStore(home).read(id)?.readOutline();
  if (outline === undefined) throw new Error(`there is no run ${id}`);
  return outline;
}

function countWrites(source: RunForkSource, fromNode: string): number {
  const plan = planRunFork(source, { fromNode });
  if (isRefusal(plan)) throw new Error(plan.message);
  return plan.writes.length;
}
