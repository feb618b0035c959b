/**
 * From whatever a provider's package throws or streams to one `ModelFailure`. Pure; reads error objects by shape, so
 * it needs no provider package loaded.
 *
 * 1. An aborted request is `interrupted`, whatever the error says.
 * 2. A conversation too long for the model is `context_overflow`, and not retryable.
 * 3. No message holds the key.
 */

import { readRetryAfter } from './retry-after.ts';
import { CutStreamError, StreamError } from './stream.ts';
import { ModelFailure } from './types.ts';
import { isPlainObject } from './well-formed.ts';

export interface FailureContext {
  /** As a person names the model. */
  readonly model: string;
  readonly keyVariables: readonly string[];
  readonly baseUrl?: string;
  /** Taken out of every message. */
  readonly key?: string;
  readonly signal: AbortSignal;
  readonly now: Date;
}

/** What is known of a failed request, from every place providers put it. */
interface Facts {
  readonly message: string;
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The provider's own words for the kind of error (`overloaded_error`, `context_length_exceeded`). */
  readonly kinds: readonly string[];
  readonly body: unknown;
  readonly stated: boolean | undefined;
  readonly networkCode: string | undefined;
  readonly isStreamed: boolean;
  readonly isCut: boolean;
  /** The reply had begun when the connection ended. */
  readonly isBroken: boolean;
}

/** Makes the failure of a request. */
export function deriveFailure(error: unknown, context: FailureContext): ModelFailure {
  if (error instanceof ModelFailure) return error;
  if (context.signal.aborted) return new ModelFailure('interrupted', `the request to ${context.model} was interrupted`);
  const facts = readFacts(error);
  const overflow = isOverflow(facts);
  const retryAfterMs = readRetryAfter(facts.headers, facts.body, context.now);
  return new ModelFailure(overflow ? 'context_overflow' : 'model_failed', renderMessage(facts, context, overflow), {
    retryable: !overflow && isRetryable(facts, context),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(facts.status === undefined ? {} : { status: facts.status }),
    ...(UNREACHABLE.has(facts.networkCode ?? '') ? { maxAttempts: 2 } : {}),
    cause: error,
  });
}

function readFacts(error: unknown): Facts {
  const reason = error instanceof StreamError ? error.reason : error;
  const record = typeof reason === 'object' && reason !== null ? (reason as Record<string, unknown>) : {};
  const body = readBody(record);
  const inner = isPlainObject(body) && isPlainObject(body.error) ? body.error : isPlainObject(body) ? body : {};
  const kinds = [record.type, record.code, inner.type, inner.code, inner.status].filter(
    (kind) => typeof kind === 'string',
  );
  return {
    message: readMessage(reason, record, inner),
    status: readStatus([record.statusCode, record.code, inner.code]),
    headers: isPlainObject(record.responseHeaders) ? record.responseHeaders : {},
    kinds,
    body,
    stated: typeof record.isRetryable === 'boolean' ? record.isRetryable : undefined,
    networkCode: findNetworkCode(reason),
    isStreamed: error instanceof StreamError,
    isCut: isCut(reason),
    isBroken: isBroken(error, reason),
  };
}

function readBody(record: Readonly<Record<string, unknown>>): unknown {
  if (typeof record.responseBody !== 'string') return record.data;
  try {
    const parsed: unknown = JSON.parse(record.responseBody);
    // Google's compatible endpoint wraps its error in an array.
    return Array.isArray(parsed) ? parsed[0] : parsed;
  } catch {
    return record.responseBody;
  }
}

function readMessage(
  reason: unknown,
  record: Readonly<Record<string, unknown>>,
  inner: Readonly<Record<string, unknown>>,
): string {
  const candidates = [inner.message, inner.error, record.message, reason, record.responseBody];
  return candidates.find((text): text is string => typeof text === 'string' && text.trim() !== '') ?? 'no reason given';
}

/** An answer that began well (2xx) and broke has no failing status. */
function readStatus(candidates: readonly unknown[]): number | undefined {
  return candidates.find((code): code is number => typeof code === 'number' && code >= 300 && code <= 599);
}

function findNetworkCode(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    const code = (current as { code?: unknown }).code;
    if (typeof code === 'string' && /^(E[A-Z_]+|UND_ERR_\w+)$/.test(code)) return code;
    current = current.cause;
  }
  return undefined;
}

const CUT_ERRORS = new Set(['AI_JSONParseError', 'AI_InvalidResponseDataError', 'AI_EmptyResponseBodyError']);

/** An answer that breaks off in the middle of an event or of its first byte reads as malformed. */
function isCut(reason: unknown): boolean {
  return reason instanceof CutStreamError || (reason instanceof Error && CUT_ERRORS.has(reason.name));
}

/** Nobody answers at that place: a second attempt finds a hiccup, a fifth only costs time. */
const UNREACHABLE = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH']);

/** The provider's packages have other words for it, of which none says what happened. */
function isBroken(error: unknown, reason: unknown): boolean {
  if (isCut(reason)) return true;
  const began = error instanceof StreamError || /^Failed to process successful response/.test(messageOf(reason));
  return began && (findNetworkCode(reason) !== undefined || /terminated|Failed to process/.test(messageOf(reason)));
}

function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : '';
}

const OVERFLOW_KINDS = new Set(['context_length_exceeded', 'exceed_context_size_error', 'request_too_large']);

/** How providers and local servers say it where they have no code for it. */
const OVERFLOW_WORDS =
  /prompt is too long|context[ _]length|context[ _]window|maximum context|context size|exceeds? the (maximum|limit).*tokens|token count.*exceeds|input (length|token).*exceed|maximum prompt length|input is too long|reduce the length of the messages/i;

function isOverflow(facts: Facts): boolean {
  if (facts.status === 413 || facts.kinds.some((kind) => OVERFLOW_KINDS.has(kind))) return true;
  // A rate limit in tokens a minute uses the same words and is over in a minute.
  const canBe =
    facts.status === undefined
      ? facts.isStreamed
      : facts.status === 400 || facts.status === 422 || facts.status === 500;
  return canBe && OVERFLOW_WORDS.test(facts.message);
}

const FINAL_KINDS =
  /^(insufficient_quota|billing_\w+|invalid_request\w*|authentication_error|permission_\w+|not_found\w*|unsupported\w*|INVALID_ARGUMENT|PERMISSION_DENIED|NOT_FOUND|UNAUTHENTICATED|FAILED_PRECONDITION)$/;

function isRetryable(facts: Facts, context: FailureContext): boolean {
  if (facts.kinds.includes('insufficient_quota')) return false;
  const told = facts.headers['x-should-retry'];
  if (told === 'true' || told === 'false') return told === 'true';
  if (facts.status !== undefined) return [408, 409, 429].includes(facts.status) || facts.status >= 500;
  if (facts.isCut) return true;
  // Nothing listens on this machine: waiting does not start a server, saying so does.
  if (facts.networkCode === 'ECONNREFUSED' && isLoopback(context.baseUrl)) return false;
  if (facts.networkCode !== undefined || facts.stated === true) return true;
  return facts.isStreamed && !facts.kinds.some((kind) => FINAL_KINDS.test(kind));
}

function isLoopback(url: string | undefined): boolean {
  return url !== undefined && /^https?:\/\/(localhost|127\.|\[::1\])/i.test(url);
}

const MAX_MESSAGE_LENGTH = 600;

function renderMessage(facts: Facts, context: FailureContext, overflow: boolean): string {
  const kind = facts.kinds[0];
  const what = facts.status === undefined ? 'failed' : `answered ${facts.status}`;
  const said = facts.isBroken
    ? 'the connection broke in the middle of a reply'
    : facts.message.replaceAll(/\s+/g, ' ').trim();
  const line = `${context.model} ${what}${kind === undefined ? '' : ` (${kind})`}: ${said}`;
  return `${redact(cut(line), context.key)}${renderAdvice(facts, context, overflow)}`.toWellFormed();
}

function cut(text: string): string {
  return text.length <= MAX_MESSAGE_LENGTH ? text : `${text.slice(0, MAX_MESSAGE_LENGTH).toWellFormed()} ...`;
}

function redact(text: string, key: string | undefined): string {
  return key === undefined || key.length < 4 ? text : text.replaceAll(key, '[key]');
}

function renderAdvice(facts: Facts, context: FailureContext, overflow: boolean): string {
  const endpoint = context.baseUrl === undefined ? '' : ` at ${context.baseUrl}`;
  if (overflow) return '; the conversation no longer fits the model';
  if (facts.status === 401 || facts.status === 403) return `; check ${context.keyVariables.join(' or ')}${endpoint}`;
  if (facts.status === 404)
    return `; check the model's name${endpoint === '' ? '' : ` and that it is served${endpoint}`}`;
  if (facts.status !== undefined && facts.status < 400)
    return `; a redirect is not followed: check --base-url${endpoint}`;
  if (facts.networkCode === 'ECONNREFUSED') return `; nothing listens${endpoint}: start the server or check --base-url`;
  return '';
}
