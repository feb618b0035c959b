/**
 * The calls of a source that its child may make again (`rewalk` of a forked run's event 0): the child knows by them which
 * of its calls are the source's, which key a receiver saw, and what a person acknowledged, also when the source is gone.
 *
 * 1. A call is named by its node, its number among the calls of that entry of the node, and the digest of its input.
 * 2. What the source's own `rewalk` named and it has not made itself is named again, and nobody has acknowledged it here.
 * 3. Calls are found by their marks; of the log only lines of calls to be named are read, and what numbers them.
 */
import {
  canonicalJson,
  decodeValue,
  type EventOf,
  type Graph,
  invariant,
  type NodePath,
  type RewalkCall,
  type RunForkPlan,
  type WriteMark,
} from '@ramet/core';
import { type SharedLog, sha256 } from '../store/index.ts';
import { type MarkedCall, readInputs } from './call-lines.ts';
import { numberCalls } from './call-numbers.ts';

/** A source that is being forked. */
export interface ForkedSource {
  readonly log: SharedLog;
  readonly plan: RunForkPlan;
  /** Its event 0, decoded. */
  readonly start: EventOf<'graph.start'>;
  /** The document it walks. */
  readonly graph: Graph;
}

/** Lists them in the order of the log; those of the source's own `rewalk` come first. */
export function listRewalk(source: ForkedSource): readonly RewalkCall[] {
  const { log, plan, start } = source;
  const isAgain = makeIsAgain(plan);
  const calls = findCalls(source, isAgain);
  const numbers = numberCalls(source, calls);
  const known = new Map(plan.writes.map(({ offset, input }) => [offset, input]));
  const read = readInputs(
    log,
    calls.filter(({ mark }) => !known.has(mark.offset)),
  );
  const acknowledged = new Set(plan.acknowledged);
  const named = calls.map(({ mark, node }): RewalkCall => {
    const { offset, tool, effect, key } = mark;
    const input = known.has(offset) ? known.get(offset) : decodeValue(read.get(offset), log.readPayload);
    const index = numbers.get(offset);
    invariant(index !== undefined, `the call at ${offset} has no number`);
    return {
      offset,
      node,
      index,
      tool,
      inputDigest: digestOf(input),
      effect,
      key,
      acknowledged: acknowledged.has(offset),
    };
  });
  const again = new Set(calls.filter(({ mark }) => isAgain(mark)).map(({ mark }) => mark.offset));
  const own = named.filter(({ offset }) => again.has(offset));
  if (start.rewalk === undefined) return own;
  const made = new Set(named.map(nameOf));
  const waiting = start.rewalk.filter((call) => !made.has(nameOf(call)));
  return [...waiting.map((call) => ({ ...call, acknowledged: false })), ...own];
}

function digestOf(value: unknown): RewalkCall['inputDigest'] {
  return sha256(canonicalJson(value));
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
    return hazards.has(offset) || (effect !== 'write' && contained !== true);
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
  for (const [segment, { first, count, writes }] of outline.heads.entries()) {
    if (writes === 0 || first + count <= from) continue;
    for (const mark of outline.readDetail(segment).writes) {
      const { node, offset } = mark;
      if (node === undefined) continue;
      if (isAgain(mark) || (offset >= ownFrom && renamed.has(node))) found.push({ mark, node, segment });
    }
  }
  return found;
}
