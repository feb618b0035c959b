/** What a forked run may make again of its source's calls, as its event 0 says. */
import { decodeValue, type EventOf, Failure, type NodePath, type RewalkCall } from '@ramet/core';
import type { LogReader } from '../../store/index.ts';

/** The calls of each node, in the order of the source's log. */
export type Rewalk = ReadonlyMap<NodePath, readonly RewalkCall[]>;

/**
 * Reads the calls of an event 0. A long list lies beside the log; without it nobody knows what was written already, so
 * then it throws `log_damaged`: no write is made on a guess.
 */
export function readRewalk(start: EventOf<'graph.start'>, log: Pick<LogReader, 'id' | 'readPayload'>): Rewalk {
  const calls: unknown = decodeValue(start.rewalk ?? [], log.readPayload);
  if (!Array.isArray(calls)) {
    const message = `the calls that run ${log.id} may make again cannot be read (${String(calls)}); check it with \`ramet verify\``;
    throw new Failure('log_damaged', message, { data: { id: log.id } });
  }
  const byNode = new Map<NodePath, RewalkCall[]>();
  for (const call of calls as readonly RewalkCall[]) {
    const known = byNode.get(call.node);
    if (known === undefined) byNode.set(call.node, [call]);
    else known.push(call);
  }
  return byNode;
}
