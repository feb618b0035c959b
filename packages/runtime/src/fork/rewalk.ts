/**
 * The calls of a source that its child may make again (`rewalk` of a forked run's event 0): the child knows by them which
 * of its calls are the source's, which key a receiver saw, and what a person acknowledged, also when the source is gone.
 *
 * 1. Hazards and idempotent calls that were not contained; a read is made again as if for the first time.
 * 2. What the source's own `rewalk` named and it has not made itself is named again, and nobody has acknowledged it here.
 * 3. Calls are found by their marks: of the log only what names them is read.
 */
import type { EventOf, NodePath, RewalkCall, RunForkPlan, WriteMark } from '@ramet/core';
import type { MarkedCall } from './call-lines.ts';
import { type ForkedSource, nameCalls } from './named-calls.ts';

/** Lists them in the order of the log; those of the source's own `rewalk` come first. */
export function listRewalk(source: ForkedSource): readonly RewalkCall[] {
  const isAgain = makeIsAgain(source.plan);
  const calls = findCalls(source, isAgain);
  const named = nameCalls(source, calls);
  const again = new Set(calls.filter(({ mark }) => isAgain(mark)).map(({ mark }) => mark.offset));
  const own = named.filter(({ offset }) => again.has(offset));
  return [...listWaiting(source.start, named), ...own];
}

/** What the source was to make again and has not. */
function listWaiting({ rewalk = [] }: EventOf<'graph.start'>, made: readonly RewalkCall[]): readonly RewalkCall[] {
  if (rewalk.length === 0) return [];
  const names = new Set(made.map(nameOf));
  return rewalk.filter((call) => !names.has(nameOf(call))).map((call) => ({ ...call, acknowledged: false }));
}

function nameOf({ node, index, inputDigest }: RewalkCall): string {
  return JSON.stringify([node, index, inputDigest]);
}

/** Which calls the child may make again: at or after the boundary, or straddling it. */
function makeIsAgain({ boundary, writes, idempotent }: RunForkPlan): (mark: WriteMark) => boolean {
  const hazards = new Set(writes.map(({ offset }) => offset));
  const straddles = new Set([...writes, ...idempotent].filter((call) => call.straddles).map(({ offset }) => offset));
  return ({ offset, effect, contained }) => {
    if (offset < boundary.offset && !straddles.has(offset)) return false;
    return hazards.has(offset) || (effect === 'idempotent' && contained !== true);
  };
}

/** Those, and the calls that the source made itself of nodes that its own `rewalk` names. */
function findCalls({ log, plan, start }: ForkedSource, isAgain: (mark: WriteMark) => boolean): readonly MarkedCall[] {
  const outline = log.readOutline();
  const renamed = new Set<NodePath>((start.rewalk ?? []).map(({ node }) => node));
  const ownFrom = start.forkedFrom === undefined ? 0 : start.forkedFrom.offset + 1;
  const straddling = [...plan.writes, ...plan.idempotent].map(({ offset }) => offset);
  const from = straddling.reduce(
    (least, offset) => Math.min(least, offset),
    renamed.size === 0 ? plan.boundary.offset : Math.min(ownFrom, plan.boundary.offset),
  );
  const found: MarkedCall[] = [];
  for (const [segment, { first, count, writes, reads }] of outline.heads.entries()) {
    if (writes === reads || first + count <= from) continue;
    for (const mark of outline.readDetail(segment).writes) {
      const { node, offset, effect } = mark;
      if (node === undefined || effect === 'read') continue;
      if (isAgain(mark) || (offset >= ownFrom && renamed.has(node))) found.push({ mark, node, segment });
    }
  }
  return found;
}
