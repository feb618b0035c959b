/** What an outline takes from calls: those that may have left the workspace, or that a fork of a run asks about. */
import type { EventOf } from '../../events/index.ts';
import type { Draft, OutlinedLine } from './draft.ts';
import type { Markers } from './markers.ts';
import { callKeyOf, nodeFieldOf, type WriteMark } from './marks.ts';

export const CALL_MARKERS: Markers = {
  'tool.intent': (draft, event, line) => {
    const key = callKeyOf(event);
    const marked = event.contained !== true || (event.node !== undefined && event.effect === 'write');
    if (marked) {
      draft.openContained.delete(key);
      draft.writes.push(markWrite(event, line));
    } else draft.openContained.add(key);
  },
  'tool.result': markResult,
  'tool.resolve': (draft, event) => {
    const { seq: offset, callId, intent, resolution: outcome } = event;
    // In a session the result or the attempt that follows says the rest.
    if (outcome !== 'did_not_happen' && event.node === undefined) return;
    draft.writeOutcomes.push({ offset, callId, ...nodeFieldOf(event), intent, outcome, egress: [] });
  },
};

function markResult(draft: Draft, event: EventOf<'tool.result'>): void {
  if (draft.openContained.delete(callKeyOf(event))) return;
  const { seq: offset, callId, outcome } = event;
  const egress = Array.isArray(event.egress) ? event.egress : [];
  draft.writeOutcomes.push({ offset, callId, ...nodeFieldOf(event), outcome, egress });
}

function markWrite(event: EventOf<'tool.intent'>, line: OutlinedLine): WriteMark {
  const { callId, tool, effect, contained, key, time } = event;
  const { position, bytes } = line;
  const again = (event.attempt ?? 1) > 1 ? { attempt: event.attempt as number } : {};
  const place = { offset: event.seq, position, bytes };
  return { ...place, callId, ...nodeFieldOf(event), tool, effect, contained, key, time, ...again };
}
