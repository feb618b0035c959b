/** A turn as people read it: what was said, called and answered, each with its offset. */
import type { Digest, EventOf, EventType, KnownEvent, ToolOutput } from '../events/index.ts';
import { decodeValue } from '../log/index.ts';
import { type Decode, toolCallsOf } from '../session/index.ts';
import { renderCount } from '../text/index.ts';

/** What happened in a turn, one thing each; `offset` is that of the event that says so. */
export type TranscriptEntry =
  | {
      readonly kind: 'user';
      readonly offset: number;
      readonly text: string;
      readonly files: readonly { readonly mediaType: string; readonly filename?: string }[];
      readonly notices: readonly string[];
    }
  | { readonly kind: 'assistant' | 'reasoning'; readonly offset: number; readonly text: string }
  | {
      readonly kind: 'call';
      readonly offset: number;
      readonly callId: string;
      readonly tool: string;
      readonly input: unknown;
    }
  | {
      readonly kind: 'result';
      readonly offset: number;
      readonly callId: string;
      readonly tool: string;
      readonly outcome: string;
      readonly output: ToolOutput;
    }
  | {
      readonly kind: 'approval';
      readonly offset: number;
      readonly callId: string;
      readonly answer: string;
      readonly by: string;
    }
  | {
      readonly kind: 'asked';
      readonly offset: number;
      readonly callId: string;
      readonly tool: string;
      readonly reason: string;
    }
  | { readonly kind: 'resolved'; readonly offset: number; readonly callId: string; readonly resolution: string }
  | { readonly kind: 'failed_request'; readonly offset: number; readonly code: string; readonly message: string }
  | { readonly kind: 'summary'; readonly offset: number; readonly text: string };

/** The entries one event adds to a transcript. */
export function transcribe(event: KnownEvent, decode: Decode): readonly TranscriptEntry[] {
  return (TRANSCRIBERS[event.type] as Transcriber<EventType> | undefined)?.(event, decode) ?? [];
}

/** Where the payloads of a log are found. */
export interface PayloadSource {
  /** The bytes of a payload; null when it is missing. */
  readPayload(digest: Digest): Uint8Array | null;
}

/** Reads values of a log back; bytes become a note of their length, so that the result is JSON. */
export function decoderOf(reader: PayloadSource): Decode {
  return (value) => describeBytes(decodeValue(value, (digest) => reader.readPayload(digest)));
}

type Transcriber<T extends EventType> = (event: EventOf<T>, decode: Decode) => readonly TranscriptEntry[];

const TRANSCRIBERS: { readonly [T in EventType]?: Transcriber<T> } = {
  message: (event, decode) => [transcribeMessage(event, decode)],
  'model.response': transcribeResponse,
  'tool.result': ({ seq: offset, callId, tool, outcome, output }, decode) => [
    { kind: 'result', offset, callId, tool, outcome, output: decode(output) as ToolOutput },
  ],
  'tool.resolve': ({ seq: offset, callId, resolution }) => [{ kind: 'resolved', offset, callId, resolution }],
  'approval.request': ({ seq: offset, callId, tool, reason }, decode) => [
    { kind: 'asked', offset, callId, tool, reason: String(decode(reason)) },
  ],
  'approval.answer': ({ seq: offset, callId, answer, by }) => [{ kind: 'approval', offset, callId, answer, by }],
  'context.compact': (event, decode) => [{ kind: 'summary', offset: event.seq, text: String(decode(event.summary)) }],
};

function transcribeMessage(event: EventOf<'message'>, decode: Decode): TranscriptEntry {
  const { content } = event.message;
  const parts = Array.isArray(content) ? content : [{ type: 'text' as const, text: content }];
  const texts = parts.filter((part) => part?.type === 'text').map((part) => String(decode(part.text)));
  const files = parts
    .filter((part) => part?.type === 'file')
    .map(({ mediaType, filename }) => ({
      mediaType: String(mediaType),
      ...(filename === undefined ? {} : { filename }),
    }));
  const notices = Array.isArray(event.notices) ? event.notices.map((notice) => String(decode(notice))) : [];
  return { kind: 'user', offset: event.seq, text: texts.join('\n'), files, notices };
}

function transcribeResponse(event: EventOf<'model.response'>, decode: Decode): readonly TranscriptEntry[] {
  const offset = event.seq;
  if (event.message === undefined) {
    const { code, message } = event.error ?? { code: 'model_failed', message: '' };
    return [{ kind: 'failed_request', offset, code: String(code), message: String(decode(message)) }];
  }
  if (event.purpose !== 'turn') return [];
  const content: readonly { readonly type?: unknown; readonly text?: unknown }[] = Array.isArray(event.message.content)
    ? event.message.content
    : [];
  const said = content.flatMap((part): TranscriptEntry[] => {
    if (part?.type !== 'text' && part?.type !== 'reasoning') return [];
    const text = String(decode(part.text));
    return text === '' ? [] : [{ kind: part.type === 'text' ? 'assistant' : 'reasoning', offset, text }];
  });
  const calls = toolCallsOf(event.message).map(
    ({ toolCallId: callId, toolName: tool, input }): TranscriptEntry => ({
      kind: 'call',
      offset,
      callId,
      tool,
      input: decode(input),
    }),
  );
  return [...said, ...calls];
}

function describeBytes(value: unknown): unknown {
  if (value instanceof Uint8Array)
    return `[${renderCount(value.length, 'byte')} that ${value.length === 1 ? 'is' : 'are'} not text]`;
  if (Array.isArray(value)) return value.map(describeBytes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, describeBytes(entry)]));
}
