/**
 * Server-sent events as text.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */

export interface Frame {
  readonly id?: number;
  /** Absent: a line of a log. */
  readonly event?: string;
  /** Text of JSON. */
  readonly data: string;
}

/** Renders one event. A line may hold returns between its tokens, which end a field as newlines do. */
export function renderFrame({ id, event, data }: Frame): string {
  const name = event === undefined ? '' : `event: ${event}\n`;
  const place = id === undefined ? '' : `id: ${id}\n`;
  const lines = data.includes('\r') || data.includes('\n') ? data.split(/\r\n|[\r\n]/).join('\ndata: ') : data;
  return `${name}${place}data: ${lines}\n\n`;
}

/** What shows that the connection lives, and is no event. */
export const KEEP_ALIVE = ': alive\n\n';
