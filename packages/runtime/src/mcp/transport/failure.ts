/**
 * What a failed request to a server says about the call: whether it was made.
 *
 * 1. *Unsent* is said only where nothing can have reached the server.
 * 2. *Answered* is said where the server itself said no.
 * 3. Everything else may have been made: its outcome is unknown.
 */
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';

/** The code of an answer that never came; a server that gives it is believed. */
export const LOST_CODE = -32_098;

/** Nothing was handed to the server. */
export class UnsentError extends Error {}

export interface RequestFailure {
  readonly kind: 'unsent' | 'answered' | 'unknown';
  /** For a sentence, not escaped. */
  readonly text: string;
}

const LONGEST_TEXT = 2_000;
/** Codes of a connection that was never made. */
const NO_CONNECTION = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH']);
/** Refusals to look at a request; 408 and what is above 499 may come from something on the way. */
const isRefusalStatus = (status: number): boolean => status >= 300 && status < 500 && status !== 408;

/** Tells what became of a request. */
export function classifyFailure(error: unknown): RequestFailure {
  const text = shorten(error instanceof Error ? error.message : String(error));
  if (error instanceof UnsentError) return { kind: 'unsent', text };
  if (error instanceof ProtocolError) {
    return error.code === LOST_CODE
      ? { kind: 'unknown', text: 'the connection broke before the answer' }
      : { kind: 'answered', text: `${text} (${error.code})` };
  }
  if (error instanceof SdkHttpError) {
    const { status, statusText = '' } = error;
    const said = shorten(`HTTP ${status ?? ''} ${statusText}`.trim());
    return { kind: status !== undefined && isRefusalStatus(status) ? 'answered' : 'unknown', text: said };
  }
  if (error instanceof SdkError) return { kind: 'unknown', text: describeSdkError(error, text) };
  const code = codeOfCause(error);
  if (code === null) return { kind: 'unknown', text };
  return { kind: NO_CONNECTION.has(code) ? 'unsent' : 'unknown', text: `no connection (${code})` };
}

function describeSdkError({ code }: SdkError, text: string): string {
  if (code === SdkErrorCode.RequestTimeout) return 'no answer came in time';
  return code === SdkErrorCode.ConnectionClosed ? 'the connection ended before the answer' : text;
}

/** The system's code behind a failed fetch. */
function codeOfCause(error: unknown): string | null {
  const { cause } = error as { readonly cause?: { readonly code?: unknown; readonly errors?: readonly unknown[] } };
  const inner = cause?.code ?? (cause?.errors?.[0] as { readonly code?: unknown } | undefined)?.code;
  return typeof inner === 'string' ? inner : null;
}

function shorten(text: string): string {
  const wellFormed = text.toWellFormed();
  return wellFormed.length > LONGEST_TEXT ? `${wellFormed.slice(0, LONGEST_TEXT).toWellFormed()}...` : wellFormed;
}
