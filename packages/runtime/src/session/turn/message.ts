/** A user's message: as it is recorded, and how one that is sent again under its idempotency key is known. */
import {
  canonicalJson,
  type Decode,
  type Digest,
  type EventOf,
  type Refusal,
  refuse,
  type SessionState,
  type UserMessage,
} from '@ramet/core';
import { sha256 } from '../../store/index.ts';
import { digestSettings } from '../settings.ts';
import type { RepeatedTurn, TurnRequest } from '../types.ts';

/** The message of a request as the model is shown it; attachments follow the text. */
export function makeMessage({ prompt, attachments }: Pick<TurnRequest, 'prompt' | 'attachments'>): UserMessage {
  const text = { type: 'text' as const, text: prompt ?? '' };
  const files = attachments.map(({ mediaType, filename, data }) => ({
    type: 'file' as const,
    mediaType,
    filename,
    data,
  }));
  return { role: 'user', content: files.length === 0 ? text.text : [text, ...files] };
}

/** Equal for equal messages, given or decoded. */
export function digestMessage({ content }: UserMessage): Digest {
  if (typeof content === 'string') return sha256(canonicalJson(content));
  const parts = content.map((part) =>
    part.type === 'file' && part.data instanceof Uint8Array ? { ...part, data: sha256(part.data) } : part,
  );
  return sha256(canonicalJson(parts));
}

/** The idempotency key of a request's message: that of a new session is also that of its first message. */
export function keyOfMessage({ session, prompt, idempotencyKey }: TurnRequest): string | undefined {
  if (prompt === null) return undefined;
  return session.kind === 'new' ? session.options.idempotencyKey : idempotencyKey;
}

/** The turn that a request's message began before; refuses another message under its key; null for a new message. */
export function findRepeated(state: SessionState, request: TurnRequest, decode: Decode): RepeatedTurn | Refusal | null {
  const key = keyOfMessage(request);
  const known = key === undefined ? undefined : state.keyed.get(key);
  if (known === undefined) return null;
  const { turn, event, end } = known;
  const { id } = state;
  const recorded = decode(event.message) as EventOf<'message'>['message'];
  const isSame = digestMessage(recorded) === digestMessage(makeMessage(request));
  // What was recorded without its request says nothing of how it was to be run.
  if (!isSame || (event.request ?? digestSettings(request.settings)) !== digestSettings(request.settings)) {
    const other = isSame ? 'this message with other settings' : 'another message';
    const message = `this idempotency key already sent ${other} to session ${id}, which began turn ${turn}; use a new key`;
    return refuse('key_reused', message, { id, turn, offset: event.seq });
  }
  const ended = end === undefined ? {} : { end: { offset: end.seq, reason: end.reason } };
  return { kind: 'repeated', session: id, turn, message: event.seq, ...ended };
}
