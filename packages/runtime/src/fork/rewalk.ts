/**
 * The calls of a source that its child may make again (`rewalk` of a forked run's event 0): the child knows by them which
 * of its calls are the source's, which key a receiver saw, and what a person acknowledged, also when the source is gone.
 *
 * 1. A call is named by its node, its number among the calls of that entry of the node, and the digest of its input.
 *    The numbers are those the keys are made of (W19): an entry ends with an exit that is no interruption, and with a fork.
 * 2. What the source's own `rewalk` named and it has not made itself is named again, and nobody has acknowledged it here.
 */
import {
  canonicalJson,
  decodeValue,
  type EventOf,
  knownEvent,
  type LoggedEvent,
  mayName,
  type NodePath,
  nodeIdOf,
  type RewalkCall,
  type RunForkPlan,
  toolCallsOf,
} from '@ramet/core';
import { type LogOutline, type SharedLog, sha256 } from '../store/index.ts';

/** A source that is being forked. */
export interface ForkedSource {
  readonly log: SharedLog;
  readonly plan: RunForkPlan;
  /** Its event 0, decoded. */
  readonly start: EventOf<'graph.start'>;
}

/** Lists them in the order of the log; those of the source's own `rewalk` come first. */
export function listRewalk(source: ForkedSource): readonly RewalkCall[] {
  const { log, plan, start } = source;
  const writes = new Set(plan.writes.map(({ offset }) => offset));
  const acknowledged = new Set(plan.acknowledged);
  const straddling = [...plan.writes, ...plan.idempotent].filter(({ straddles }) => straddles);
  const straddles = new Set(straddling.map(({ offset }) => offset));
  const calls = readCalls(source, new Set(straddling.map(({ node }) => node)));
  const again = calls.filter(({ offset, effect, contained }) => {
    if (offset < plan.boundary.offset && !straddles.has(offset)) return false;
    return writes.has(offset) || effect === 'idempotent' || (effect === 'read' && contained !== true);
  });
  const own = again.map(({ offset, node, index, tool, input, effect, key }): RewalkCall => {
    const inputDigest = digestOf(decodeValue(input, log.readPayload));
    return { offset, node, index, tool, inputDigest, effect, key, acknowledged: acknowledged.has(offset) };
  });
  if (start.rewalk === undefined) return own;
  const made = new Set(
    calls.map((call) => nameOf({ ...call, inputDigest: digestOf(decodeValue(call.input, log.readPayload)) })),
  );
  const waiting = start.rewalk.filter((call) => !made.has(nameOf(call)));
  return [...waiting.map((call) => ({ ...call, acknowledged: false })), ...own];
}

function digestOf(value: unknown): RewalkCall['inputDigest'] {
  return sha256(canonicalJson(value));
}

function nameOf({ node, index, inputDigest }: Pick<RewalkCall, 'node' | 'index' | 'inputDigest'>): string {
  return JSON.stringify([node, index, inputDigest]);
}

type FoundCall = Pick<EventOf<'tool.intent'>, 'tool' | 'input' | 'effect' | 'contained' | 'key'> & {
  readonly offset: number;
  readonly node: NodePath;
  readonly index: number;
};

/** The calls of the source from where their entries of their nodes began, as far as anything of them is asked. */
function readCalls({ log, plan, start }: ForkedSource, straddling: ReadonlySet<NodePath>): readonly FoundCall[] {
  const outline = log.readOutline();
  const last = outline.heads.at(-1);
  const to = last === undefined ? -1 : last.first + last.count - 1;
  const after = [...relevantEvents(log, { from: plan.boundary.offset, to })];
  const begun = findBegun(after, straddling);
  const ownFrom = start.rewalk === undefined || start.forkedFrom === undefined ? to + 1 : start.forkedFrom.offset + 1;
  const from = Math.min(findEntries(outline, plan, begun), ownFrom, plan.boundary.offset);
  const numbering = new Map<NodePath, Numbering>();
  const calls: FoundCall[] = [];
  for (const event of relevantEvents(log, { from, to: plan.boundary.offset - 1 })) takeEvent(numbering, event, calls);
  for (const event of after) takeEvent(numbering, event, calls);
  return calls;
}

const RELEVANT: ReadonlySet<string> = new Set([
  'node.enter',
  'node.exit',
  'model.response',
  'tool.intent',
  'tool.result',
]);

function* relevantEvents(
  log: SharedLog,
  range: { readonly from: number; readonly to: number },
): Generator<LoggedEvent> {
  if (range.to < range.from) return;
  for (const event of log.readEvents(range)) {
    if (event.event0 !== undefined || (event.node !== undefined && RELEVANT.has(event.type))) yield event;
  }
}

/** Nodes whose calls after the boundary belong to an entry that may have begun before it. */
function findBegun(after: readonly LoggedEvent[], straddling: ReadonlySet<NodePath>): ReadonlySet<NodePath> {
  const begun = new Set(straddling);
  const seen = new Set<NodePath>();
  for (const { type, node, attempt } of after) {
    if (node === undefined || seen.has(node)) continue;
    seen.add(node);
    if (type !== 'node.enter' || attempt !== 1) begun.add(node);
  }
  return begun;
}

/** The earliest offset at which the last entry of one of these nodes before the boundary began. */
function findEntries(outline: LogOutline, plan: RunForkPlan, nodes: ReadonlySet<NodePath>): number {
  const wanted = new Set(nodes);
  let from = plan.boundary.offset;
  for (let segment = outline.heads.length - 1; segment > 0 && wanted.size > 0; segment -= 1) {
    const head = outline.heads[segment];
    if (head?.walk === undefined || head.first >= plan.boundary.offset) continue;
    const { names } = head.walk;
    if (![...wanted].some((node) => mayName(names, node) || mayName(names, nodeIdOf(node)))) continue;
    for (const mark of outline.readDetail(segment).nodes.toReversed()) {
      if (mark.offset >= plan.boundary.offset || !wanted.has(mark.node)) continue;
      if (mark.type === 'enter') from = Math.min(from, mark.offset);
      if (mark.attempt === 1 || (mark.type === 'exit' && mark.outcome !== 'interrupted')) wanted.delete(mark.node);
    }
  }
  return from;
}

/** The calls of one entry of a node so far. */
interface Numbering {
  /** Those its model named, whether they were made or not. */
  readonly named: { readonly callId: string; ended: boolean }[];
  /** Those a document chose. */
  readonly chosen: string[];
}

function takeEvent(numbering: Map<NodePath, Numbering>, event: LoggedEvent, calls: FoundCall[]): void {
  // A child's nodes begin their entries anew.
  if (event.event0 !== undefined) numbering.clear();
  const known = knownEvent(event);
  const { node } = event;
  if (known === null || node === undefined) return;
  const entry = numbering.get(node) ?? { named: [], chosen: [] };
  numbering.set(node, entry);
  if (known.type === 'node.exit' && known.outcome !== 'interrupted') numbering.delete(node);
  else if (known.type === 'model.response') nameCalls(entry, known);
  else if (known.type === 'tool.result') endCall(entry, known);
  else if (known.type === 'tool.intent') {
    const { seq: offset, tool, input, effect, contained, key } = known;
    calls.push({ offset, node, index: numberCall(entry, known), tool, input, effect, contained, key });
  }
}

function nameCalls({ named }: Numbering, { purpose, message }: EventOf<'model.response'>): void {
  if (purpose !== 'turn' || message === undefined) return;
  for (const { toolCallId: callId } of toolCallsOf(message)) named.push({ callId, ended: false });
}

/** Calls are made in order, and providers use ids again: an id means the first such call without a result. */
function endCall({ named }: Numbering, { callId }: EventOf<'tool.result'>): void {
  const call = named.find((candidate) => candidate.callId === callId && !candidate.ended);
  if (call !== undefined) call.ended = true;
}

function numberCall({ named, chosen }: Numbering, { callId }: EventOf<'tool.intent'>): number {
  const byModel = named.findIndex((candidate) => candidate.callId === callId && !candidate.ended);
  if (byModel >= 0) return byModel;
  if (!chosen.includes(callId)) chosen.push(callId);
  return chosen.indexOf(callId);
}
