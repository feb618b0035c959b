/** A source for planning from events that are parsed already: what the browser has, and tests. */
import { type LoggedEvent, ZERO_DIGEST } from '../events/index.ts';
import { createOutliner } from '../log/index.ts';
import type { ForkSource } from './types.ts';

/**
 * A log of one segment made of all its events, from event 0 on. It knows no bytes: positions and sizes of a plan count
 * lines, and the digest of the last line is not in it.
 */
export function makeEventSource(events: readonly LoggedEvent[]): ForkSource {
  const outliner = createOutliner(0, ZERO_DIGEST);
  // No plan asks for payloads: without text in which one could be named, none is searched for.
  for (const [position, event] of events.entries()) outliner.add({ event, position, bytes: 0, text: '' });
  const { head, detail } = outliner.finish(ZERO_DIGEST);
  return {
    heads: events.length === 0 ? [] : [head],
    readDetail: () => detail,
    readLine: (_, position) => events[position] ?? null,
  };
}
