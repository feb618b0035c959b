/**
 * Reads server-sent events from a stream of text.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */

export interface ServerSentEvent {
  /** Absent where the event had none of its own. */
  readonly id?: string;
  /** `message` where it was not named. */
  readonly event: string;
  readonly data: string;
}

/** Reads events until the stream ends; an event the stream broke off in is dropped. */
export async function* readServerSentEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let fields: Fields = { data: [] };
  for await (const line of readLines(stream)) {
    if (line !== '') addField(fields, line);
    else {
      if (fields.data.length > 0) yield finish(fields);
      fields = { data: [] };
    }
  }
}

interface Fields {
  id?: string;
  event?: string;
  readonly data: string[];
}

function addField(fields: Fields, line: string): void {
  const colon = line.indexOf(':');
  if (colon === 0) return;
  const name = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
  if (name === 'data') fields.data.push(value);
  else if (name === 'event') fields.event = value;
  else if (name === 'id' && !value.includes('\0')) fields.id = value;
}

function finish({ id, event = 'message', data }: Fields): ServerSentEvent {
  return { ...(id === undefined ? {} : { id }), event, data: data.join('\n') };
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = stream.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  const parts: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = value.split('\n');
      for (const [index, line] of lines.entries()) {
        parts.push(line);
        if (index === lines.length - 1) break;
        yield parts.splice(0).join('').replace(/\r$/, '');
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
