/**
 * Long values of nodes. Whoever folds a run needs few of them, and those only when something looks at them: the outline
 * holds the rest of their events, so that their lines need not be read.
 *
 * 1. Only inputs and outputs of nodes are left in their lines: what else an event says is with its mark.
 */
import type { EventType, LoggedEvent } from '../../events/index.ts';
import type { OutlinedLine } from './draft.ts';
import type { LongMark } from './marks.ts';

/** A line above this many bytes is long. */
const LONG_LINE_BYTES = 4096;

/** A mark is no longer than this: what is long in its event must be the value that is left out. */
const MARK_BYTES = 1024;

/** The field that is left in the line, by type; of other events nothing is. */
const VALUES: { readonly [T in EventType]?: LongMark['value'] } = {
  'node.enter': 'input',
  'node.exit': 'output',
  'tool.intent': 'input',
  'tool.result': 'output',
  'map.item': 'output',
  'fold.pass': 'output',
};

/** The mark of a long line, or null. */
export function markLongLine(event: LoggedEvent, { position, bytes }: OutlinedLine): LongMark | null {
  if (bytes <= LONG_LINE_BYTES || typeof event.node !== 'string') return null;
  const value = VALUES[event.type as EventType];
  if (value === undefined || event[value] === undefined) return null;
  const { [value]: _, ...rest } = event;
  if (JSON.stringify(rest).length > MARK_BYTES) return null;
  return { offset: event.seq, position, bytes, event: rest as LoggedEvent, value };
}
