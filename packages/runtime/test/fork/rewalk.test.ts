/** The calls that event 0 of a fork lists, held against a reading of every event of the source. */
import {
  canonicalJson,
  type EventDraft,
  type EventOf,
  isRefusal,
  type LoggedEvent,
  type NodePath,
  planRunFork,
  type RewalkCall,
  type RunForkPlan,
  type RunId,
  toolCallsOf,
} from '@ramet/core';
import { forkRun } from '@ramet/runtime/fork';
import { openMemoryStore, type RunStore } from '@ramet/runtime/store';
import { buildNode, buildRun, makeGraph, sha256 } from '@ramet/testkit';
import { entersOf, eventsOf } from '@ramet/testkit/run-acts';
import { countIds, ownOf } from '@ramet/testkit/store-contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listRewalk } from '../../src/fork/rewalk.ts';
import { expectDone, FIRST, makeHome, openTestStore } from '../store/helpers.ts';

const tool = { kind: 'tool', exec: { command: 'true' } } as const;
const agent = { kind: 'agent', tools: ['*'] } as const;
const GRAPH = makeGraph({
  nodes: {
    a: tool,
    b: agent,
    m: { kind: 'map', over: '[1, 2]', concurrency: 2, body: { nodes: { x: tool, y: agent } } },
  },
});
const AGENTS = ['b', 'm[0]/y', 'm[1]/y'];
const NOW = Date.UTC(2031, 0, 1);

const act = fc.record({
  node: fc.constantFrom('a', 'm[0]/x', 'm[1]/x', ...AGENTS, ...AGENTS),
  kind: fc.constantFrom('enter', 'enter', 'call', 'call', 'begin', 'deny', 'name', 'ok', 'failed', 'interrupted'),
  effect: fc.constantFrom('read' as const, 'idempotent' as const, 'write' as const),
  contained: fc.constantFrom(true, false, 'unless_egress' as const),
  name: fc.constantFrom('p', 'q'),
  value: fc.constantFrom(1, 2),
});
type Act = Omit<typeof act extends fc.Arbitrary<infer T> ? T : never, ''>;

/** How a node stands while its events are made up. */
interface Standing {
  attempt: number;
  isOpen: boolean;
  isDone: boolean;
}

function playActs(acts: readonly Act[], nodes: Map<NodePath, Standing>): readonly EventDraft[] {
  return acts.flatMap((each): readonly EventDraft[] => {
    const { node, kind } = each;
    const standing = nodes.get(node) ?? { attempt: 0, isOpen: false, isDone: false };
    nodes.set(node, standing);
    if (standing.isDone) return [];
    if (kind === 'enter') {
      Object.assign(standing, { attempt: standing.attempt + 1, isOpen: true });
      return buildNode({ path: node, attempt: standing.attempt, outcome: null });
    }
    if (!standing.isOpen) return [];
    if (kind === 'ok' || kind === 'failed' || kind === 'interrupted') {
      Object.assign(standing, { isOpen: false, isDone: kind === 'ok' });
      return [{ type: 'node.exit', node, attempt: standing.attempt, outcome: kind }];
    }
    return AGENTS.includes(node) ? callByModel(each) : callOnce(each);
  });
}

function callOnce({ node, kind, ...call }: Act): readonly EventDraft[] {
  return kind === 'call' || kind === 'begin'
    ? makeCall({ ...call, node, callId: 'call', isOver: kind === 'call' })
    : [];
}

function callByModel({ node, kind, name, ...call }: Act): readonly EventDraft[] {
  const named = { type: 'tool-call' as const, toolCallId: name, toolName: 'send', input: {} };
  const message = { role: 'assistant' as const, content: [named, { ...named, toolCallId: 'never' }] };
  const reply: EventDraft = { type: 'model.response', node, model: 'm', attempt: 1, purpose: 'turn', message };
  if (kind === 'name') return [reply];
  if (kind === 'deny') return [reply, endCall(node, name, 'denied')];
  return [reply, ...makeCall({ ...call, node, callId: name, isOver: kind === 'call' })];
}

type Call = Pick<Act, 'node' | 'effect' | 'contained' | 'value'> & {
  readonly callId: string;
  readonly isOver: boolean;
};

function makeCall({ node, callId, isOver, value, ...call }: Call): readonly EventDraft[] {
  const key = `key of ${node} ${callId} ${value}`;
  const intent: EventDraft = { type: 'tool.intent', node, callId, tool: 'send', input: { value }, key, ...call };
  return isOver ? [intent, endCall(node, callId, 'ok')] : [intent];
}

function endCall(node: NodePath, callId: string, outcome: 'ok' | 'denied'): EventDraft {
  return { type: 'tool.result', node, callId, tool: 'send', outcome, output: { type: 'text', value: '' } };
}

type Known = LoggedEvent & Omit<Partial<EventOf<'tool.intent'>>, 'type'> & Record<string, unknown>;

/** Reads everything: the number of each call, by offset. */
function numberAll(events: readonly Known[]): ReadonlyMap<number, number> {
  const numbers = new Map<number, number>();
  const entries = new Map<NodePath, { callId: string; isOver: boolean }[]>();
  for (const event of events) {
    if (event.event0 !== undefined) entries.clear();
    const node = event.node ?? '';
    const entry = entries.get(node) ?? [];
    entries.set(node, entry);
    const { message } = event as unknown as EventOf<'model.response'>;
    if (event.type === 'node.exit' && event.outcome !== 'interrupted') entries.delete(node);
    if (event.type === 'model.response' && message !== undefined) {
      entry.push(...toolCallsOf(message).map(({ toolCallId: callId }) => ({ callId, isOver: false })));
    }
    const index = entry.findIndex((call) => call.callId === event.callId && !call.isOver);
    if (event.type === 'tool.result') Object.assign(entry[index] ?? {}, { isOver: true });
    if (event.type === 'tool.intent') numbers.set(event.seq, Math.max(0, index));
  }
  return numbers;
}

function readRewalk(events: readonly Known[], plan: RunForkPlan): readonly RewalkCall[] {
  const numbers = numberAll(events);
  const start = events[0] as unknown as EventOf<'graph.start'>;
  const hazards = new Set(plan.writes.map(({ offset }) => offset));
  const straddling = [...plan.writes, ...plan.idempotent].filter(({ straddles }) => straddles);
  const straddles = new Set(straddling.map(({ offset }) => offset));
  const calls = (events as readonly (Known & EventOf<'tool.intent'>)[]).filter(({ type }) => type === 'tool.intent');
  const isAgain = ({ seq, effect, contained }: EventOf<'tool.intent'>): boolean =>
    (seq >= plan.boundary.offset || straddles.has(seq)) &&
    (hazards.has(seq) || (effect === 'idempotent' && contained !== true));
  const toCall = ({ seq: offset, node = '', tool, input, effect, key }: EventOf<'tool.intent'>): RewalkCall => {
    const place = { offset, node, index: numbers.get(offset) ?? -1 };
    return {
      ...place,
      tool,
      inputDigest: sha256(canonicalJson(input)),
      effect,
      key,
      acknowledged: hazards.has(offset),
    };
  };
  const ownFrom = (start.forkedFrom?.offset ?? -1) + 1;
  // One that stayed inside has no mark; only of writes it is known that the source made them again. A read is no write.
  const isMade = (call: EventOf<'tool.intent'>): boolean =>
    isAgain(call) ||
    (call.seq >= ownFrom && (call.effect === 'write' || (call.effect === 'idempotent' && call.contained !== true)));
  const nameOf = ({ node, index, inputDigest }: RewalkCall): string => canonicalJson([node, index, inputDigest]);
  const made = new Set(calls.filter(isMade).map((call) => nameOf(toCall(call))));
  const waiting = (start.rewalk ?? []).filter((call) => !made.has(nameOf(call)));
  return [...waiting.map((call) => ({ ...call, acknowledged: false })), ...calls.filter(isAgain).map(toCall)];
}

const chapter = fc.record({
  acts: fc.array(act, { minLength: 5, maxLength: 30 }),
  forkAt: fc.double({ min: 0, max: 0.99, noNaN: true }),
});

/** Plays chapters, each in a fork of the run before it, and compares what each fork lists; null: it was refused. */
async function playChapters(
  store: RunStore,
  chapters: readonly (typeof chapter extends fc.Arbitrary<infer T> ? T : never)[],
) {
  const makeId = countIds();
  const staged = store.stage(FIRST);
  staged.append(buildRun({ id: FIRST, graph: GRAPH.hash, nodes: [] }));
  await staged.commit();
  let run: RunId = FIRST;
  for (const { acts, forkAt } of chapters) {
    const owner = await ownOf(store, run);
    await owner.append(playActs(acts, standingsOf(eventsOf(store, run) as readonly Known[])), { durable: false });
    owner.close();
    const enters = entersOf(store, run);
    const at = enters[Math.floor(forkAt * enters.length)];
    if (at === undefined) return;
    const context = { store, makeId, now: () => NOW };
    const asked = await forkRun(context, run, { at, sourceGraph: GRAPH, dryRun: true });
    if (isRefusal(asked) || asked.plan === null) return;
    const acknowledge = asked.plan.writes.map(({ offset }) => offset);
    const made = expectDone(await forkRun(context, run, { at, sourceGraph: GRAPH, acknowledge }));
    const events = eventsOf(store, run) as readonly Known[];
    run = made.run ?? FIRST;
    const { rewalk = [] } = eventsOf(store, run)[0] as unknown as EventOf<'graph.start'>;
    expect(rewalk).toEqual(readRewalk(events, asked.plan));
  }
}

function standingsOf(events: readonly Known[]): Map<NodePath, Standing> {
  const nodes = new Map<NodePath, Standing>();
  for (const { type, node = '', attempt = 1, outcome } of events) {
    if (type === 'node.enter') nodes.set(node, { attempt, isOpen: true, isDone: false });
    if (type === 'node.exit') nodes.set(node, { attempt, isOpen: false, isDone: outcome === 'ok' });
  }
  return nodes;
}

const still = { effect: 'read', contained: true, name: 'p', value: 1 } as const;

/** A node that goes on after a crash numbers its calls from where its first attempt began. */
const CUT_SHORT = {
  acts: [
    { ...still, node: 'b', kind: 'enter' },
    { ...still, node: 'b', kind: 'deny' },
    { ...still, node: 'b', kind: 'interrupted' },
    { ...still, node: 'b', kind: 'enter' },
    { ...still, node: 'b', kind: 'call', effect: 'idempotent', contained: false },
  ] satisfies readonly Act[],
  forkAt: 0,
};

describe('the calls a fork lists', () => {
  it('are those that a reading of all events finds, in forks of forks too', async () => {
    const check = fc.asyncProperty(fc.array(chapter, { minLength: 1, maxLength: 3 }), (chapters) =>
      playChapters(openMemoryStore({ now: () => NOW }), chapters),
    );
    await fc.assert(check, { numRuns: 150, examples: [[[CUT_SHORT]]] });
  });

  it('are the same when they lie in many segments', async () => {
    const check = fc.asyncProperty(fc.array(chapter, { minLength: 1, maxLength: 2 }), (chapters) =>
      playChapters(openTestStore(makeHome(), 1_500), chapters),
    );
    await fc.assert(check, { numRuns: 10 });
  });

  it('are found without a line of the log when all of them are writes of tool nodes, or there is none', async () => {
    const store = openTestStore(makeHome(), 1_500);
    const staged = store.stage(FIRST);
    const nodes = [
      { path: 'a', calls: [{ callId: 'call', contained: false, effect: 'write' as const }] },
      { path: 'b', calls: [{ callId: 'call', effect: 'read' as const }] },
    ];
    staged.append(buildRun({ id: FIRST, graph: GRAPH.hash, nodes }));
    await staged.commit();
    const log = await store.share(FIRST);
    if (isRefusal(log)) throw new Error(log.message);
    const [event] = log.readEvents({ from: 0, to: 0 });
    const never = (): never => {
      throw new Error('the log was read');
    };
    const blind = { ...log, readEvents: never, readBytes: never };
    const outline = log.readOutline();
    const unread = { ...blind, readOutline: () => ({ ...outline, readLine: never, readLineBytes: never }) };
    const start = event as unknown as EventOf<'graph.start'>;
    const listed = entersOf(store, FIRST).map((at) => {
      const plan = planRunFork({ ...outline, graph: GRAPH, fileTools: new Map() }, { at });
      if (isRefusal(plan)) throw new Error(plan.message);
      return listRewalk({ log: unread, plan, start, graph: GRAPH }).map(({ node, key }) => [node, key]);
    });
    log.close();
    expect(listed).toEqual([[['a', 'key-a.call']], []]);
  });
});
