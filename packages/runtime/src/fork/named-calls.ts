/**
 * What a child knows a call of its source by: its node, its number among the calls of that entry of the node, and the
 * digest of its input; besides, the key its receiver saw and whether a person acknowledged it.
 *
 * 1. Of the log only the lines of these calls are read, and what numbers them.
 */
import {
  canonicalJson,
  decodeValue,
  type EventOf,
  type Graph,
  invariant,
  type RewalkCall,
  type RunForkPlan,
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

/** Names calls; they come and go in the order of the log. */
export function nameCalls(source: ForkedSource, calls: readonly MarkedCall[]): readonly RewalkCall[] {
  const numbers = numberCalls(source, calls);
  const inputs = decodeInputs(source, calls);
  const acknowledged = new Set(source.plan.acknowledged);
  return calls.map(({ mark: { offset, tool, effect, key }, node }) => {
    const index = numbers.get(offset);
    invariant(index !== undefined, `the call at ${offset} has no number`);
    const inputDigest = sha256(canonicalJson(inputs.get(offset)));
    return { offset, node, index, tool, inputDigest, effect, key, acknowledged: acknowledged.has(offset) };
  });
}

/** The plan holds the inputs of hazards already. */
function decodeInputs({ log, plan }: ForkedSource, calls: readonly MarkedCall[]): ReadonlyMap<number, unknown> {
  const inputs = new Map(plan.writes.map(({ offset, input }) => [offset, input]));
  const others = calls.filter(({ mark }) => !inputs.has(mark.offset));
  for (const [offset, input] of readInputs(log, others)) inputs.set(offset, decodeValue(input, log.readPayload));
  return inputs;
}
