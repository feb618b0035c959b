/** Judges what a person acknowledged of a planned fork of a run: every write that is made again, and nothing else. */
import {
  type Refusal,
  type RunForkPlan,
  type RunWriteHazard,
  refuse,
  unacknowledged,
  unknownAcknowledgements,
} from '@ramet/core';
import type { ReplayHazard } from './run-types.ts';

/** Why a plan may not be committed, or null; a dry run is told what it would take. */
export function judgeAcknowledged(plan: RunForkPlan, options: { readonly dryRun?: boolean }): Refusal | null {
  const unknown = unknownAcknowledgements(plan);
  if (unknown.length > 0) return refuseUnknown(plan, unknown);
  const writes = unacknowledged(plan);
  return writes.length === 0 || options.dryRun === true ? null : refuseHazard(plan, writes);
}

function refuseUnknown(plan: RunForkPlan, offsets: readonly number[]): Refusal {
  const known = plan.writes.map(({ offset }) => offset);
  const those = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
  const what = `${offsets.join(', ')}: no write that this fork of run ${plan.source} would make again; ${those}`;
  return refuse('not_a_hazard', what, { id: plan.source, offsets, writes: known });
}

function refuseHazard(plan: RunForkPlan, writes: readonly RunWriteHazard[]): Refusal {
  const { source, fromNode, boundary } = plan;
  const named = writes.map(({ offset, tool, node, outcome }) => `${tool} of ${node} (offset ${offset}, ${outcome})`);
  const flag = `--acknowledge-writes ${writes.map(({ offset }) => offset).join(',')}`;
  const many = writes.length === 1 ? 'a write' : `${writes.length} writes`;
  const message = `a fork of run ${source} from ${fromNode} (offset ${boundary.offset}) would make ${many} again that left already: ${named.join('; ')}; nothing was made; acknowledge each by its offset to make it again on purpose: \`${flag}\``;
  const hazard: ReplayHazard = { id: source, at: boundary.offset, fromNode, writes };
  return refuse('write_replay_hazard', message, { ...hazard });
}
