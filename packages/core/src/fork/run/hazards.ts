/** What a re-walk may do again, as a person is to be shown it: facts alone. */
import type { NodeMark } from '../../log/index.ts';
import { describeCall, describeWrite, hasLeft } from '../outstanding.ts';
import type { RecordedCall } from './calls.ts';
import { makeDescends } from './relation.ts';
import type { RunCall, RunForkPlan, RunForkSource, RunWriteHazard, WorkspaceAtBoundary } from './types.ts';
import { isRestored } from './workspaces.ts';

/** The boundary, and what is restored there. */
interface Place {
  readonly boundary: NodeMark;
  readonly workspaces: readonly WorkspaceAtBoundary[];
}

/** Sorts calls by what they ask of a person. Reads, and what did not happen, are left out. */
export function sortCalls(
  source: RunForkSource,
  calls: readonly RecordedCall[],
  { boundary, workspaces }: Place,
): Pick<RunForkPlan, 'writes' | 'exempt' | 'idempotent'> {
  const writes: RunWriteHazard[] = [];
  const exempt: RunCall[] = [];
  const idempotent: RunCall[] = [];
  const descends = makeDescends(source.graph, boundary.node);
  const place = (call: RecordedCall) => placeOf(call, boundary, descends);
  for (const call of calls) {
    const { mark, outcome } = call;
    if (outcome?.outcome === 'did_not_happen' || mark.effect === 'read') continue;
    const left = hasLeft(mark, outcome);
    const show = (): RunCall => ({ ...describeCall(mark, outcome), ...place(call) });
    if (mark.effect === 'idempotent') {
      if (left) idempotent.push(show());
    } else if (left || !isRestored(source.graph, workspaces, mark.node ?? '')) {
      writes.push({ ...describeWrite(source, call), ...place(call) });
    } else {
      exempt.push(show());
    }
  }
  return { writes, exempt, idempotent };
}

function placeOf(
  { mark }: RecordedCall,
  boundary: NodeMark,
  descends: (path: string) => boolean,
): Pick<RunCall, 'node' | 'effect' | 'relation' | 'straddles'> {
  const { node = '', effect, offset } = mark;
  return { node, effect, relation: descends(node) ? 'descends' : 'concurrent', straddles: offset < boundary.offset };
}

/** Writes of a plan that its acknowledgement does not name. */
export function unacknowledged({ writes, acknowledged }: RunForkPlan): readonly RunWriteHazard[] {
  const named = new Set(acknowledged);
  return writes.filter(({ offset }) => !named.has(offset));
}

/** Offsets that a plan's acknowledgement names and that are none of its writes. */
export function unknownAcknowledgements({ writes, acknowledged }: RunForkPlan): readonly number[] {
  const offsets = new Set(writes.map(({ offset }) => offset));
  return acknowledged.filter((offset) => !offsets.has(offset));
}
