/**
 * Which number a call has among those of its entry of its node: the one its key is made of (W19).
 *
 * 1. An entry ends with an exit that is no interruption, and with a fork.
 * 2. A tool node makes one call, which has the number 0; of others, events are read from where the entry began.
 */
import {
  type EventOf,
  type Graph,
  knownEvent,
  type LoggedEvent,
  mayName,
  type NodePath,
  nodeIdOf,
  TOOL_CALL_ID,
  toolCallsOf,
} from '@ramet/core';
import type { LogOutline, SharedLog } from '../store/index.ts';
import type { MarkedCall } from './call-lines.ts';

interface Span {
  readonly from: number;
  readonly to: number;
}

/** The numbers of calls, by offset; they come in the order of the log. */
export function numberCalls(
  { log, graph }: { readonly log: SharedLog; readonly graph: Graph },
  calls: readonly MarkedCall[],
): ReadonlyMap<number, number> {
  const numbers = new Map<number, number>();
  const spans = new Map<NodePath, Span>();
  for (const { mark, node } of calls) {
    if (isOnlyCall(graph, mark)) numbers.set(mark.offset, 0);
    else {
      const from = spans.get(node)?.from ?? findEntry(log.readOutline(), node, mark.offset);
      spans.set(node, { from, to: mark.offset });
    }
  }
  const entries = new Map<NodePath, Entry>();
  for (const span of mergeSpans([...spans.values()])) {
    for (const event of log.readEvents(span)) {
      // A child's nodes begin their entries anew.
      if (event.event0 !== undefined) entries.clear();
      const { from, to } = spans.get(event.node ?? '') ?? { from: Number.POSITIVE_INFINITY, to: -1 };
      if (event.seq >= from && event.seq <= to) takeEvent(entries, event, numbers);
    }
  }
  return numbers;
}

function isOnlyCall({ nodes }: Graph, { node = '', callId }: MarkedCall['mark']): boolean {
  return callId === TOOL_CALL_ID && nodes.get(nodeIdOf(node))?.node.kind === 'tool';
}

/** An offset at or before which the entry of a node began that holds a call. */
function findEntry({ heads, readDetail }: LogOutline, node: NodePath, call: number): number {
  let from = call;
  for (let segment = heads.length - 1; segment > 0; segment -= 1) {
    const head = heads[segment];
    if (head?.walk === undefined || head.first >= call) continue;
    const { names } = head.walk;
    if (!mayName(names, node) && !mayName(names, nodeIdOf(node))) continue;
    for (const mark of readDetail(segment).nodes.toReversed()) {
      if (mark.offset >= call || mark.node !== node) continue;
      if (mark.type === 'exit' && mark.outcome !== 'interrupted') return from;
      if (mark.type !== 'enter') continue;
      from = mark.offset;
      if (mark.attempt === 1) return from;
    }
  }
  return from;
}

function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const merged: Span[] = [];
  for (const { from, to } of spans.toSorted((left, right) => left.from - right.from)) {
    const last = merged.at(-1);
    if (last === undefined || from > last.to + 1) merged.push({ from, to });
    else merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, to) };
  }
  return merged;
}

/** The calls of one entry of a node so far. */
interface Entry {
  /** Those its model named, whether they were made or not. */
  readonly named: { readonly callId: string; ended: boolean }[];
  /** Those a document chose. */
  readonly chosen: string[];
}

function takeEvent(entries: Map<NodePath, Entry>, event: LoggedEvent, numbers: Map<number, number>): void {
  const known = knownEvent(event);
  const { node } = event;
  if (known === null || node === undefined) return;
  const entry = entries.get(node) ?? { named: [], chosen: [] };
  entries.set(node, entry);
  if (known.type === 'node.exit' && known.outcome !== 'interrupted') entries.delete(node);
  else if (known.type === 'model.response') nameCalls(entry, known);
  else if (known.type === 'tool.result') endCall(entry, known);
  else if (known.type === 'tool.intent') numbers.set(known.seq, numberCall(entry, known));
}

function nameCalls({ named }: Entry, { purpose, message }: EventOf<'model.response'>): void {
  if (purpose !== 'turn' || message === undefined) return;
  for (const { toolCallId: callId } of toolCallsOf(message)) named.push({ callId, ended: false });
}

/** Calls are made in order, and providers use ids again: an id means the first such call without a result. */
function endCall({ named }: Entry, { callId }: EventOf<'tool.result'>): void {
  const call = named.find((candidate) => candidate.callId === callId && !candidate.ended);
  if (call !== undefined) call.ended = true;
}

function numberCall({ named, chosen }: Entry, { callId }: EventOf<'tool.intent'>): number {
  const byModel = named.findIndex((candidate) => candidate.callId === callId && !candidate.ended);
  if (byModel >= 0) return byModel;
  if (!chosen.includes(callId)) chosen.push(callId);
  return chosen.indexOf(callId);
}
