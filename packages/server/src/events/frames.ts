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
export function renderFrame({ data, ...head }: Frame): string {
  const lines = data.includes('\r') || data.includes('\n') ? data.split(/\r\n|[\r\n]/).join('\ndata: ') : data;
  return `${renderHead(head)}data: ${lines}\n\n`;
}

function renderHead({ id, event }: Omit<Frame, 'data'>): string {
  const name = event === undefined ? '' : `event: ${event}\n`;
  return id === undefined ? name : `${name}id: ${id}\n`;
}

const RETURN = 0x0d;
const NEWLINE = 0x0a;
const END = Buffer.from('\n\n');

/** As `renderFrame`, of JSON as bytes: they go out as they are, and are not read as text for each who follows. */
export function renderFrameBytes(data: Uint8Array, head: Omit<Frame, 'data'>): Uint8Array {
  if (!data.includes(RETURN) && !data.includes(NEWLINE)) {
    return Buffer.concat([Buffer.from(`${renderHead(head)}data: `), data, END]);
  }
  const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
  return Buffer.from(renderFrame({ data: text, ...head }));
}

/** What shows that the connection lives, and is no event. */
export const KEEP_ALIVE = ': alive\n\n';
