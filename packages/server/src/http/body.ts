/**
 * Reads the body of a request as JSON.
 *
 * 1. No more of it is held than its route allows.
 * 2. What is too much is taken and thrown away, up to a bound: who is still sending when it is answered and cut off does
 *    not read the answer (RFC 9112, section 9.6).
 * 3. What is read can be kept in a log as it is: well-formed Unicode, finite numbers, nested no deeper than a walk bears.
 */
import type { Problem } from './problem.ts';

/** What was read, or why it is not taken. */
export type ReadBody = { readonly value: unknown } | { readonly problem: Problem };

/** Reads a body of at most so many bytes; where there is none, it says nothing: `{}`. */
export async function readJsonBody(request: Request, limitBytes: number): Promise<ReadBody> {
  const type = request.headers.get('content-type');
  if (type === null && !hasBody(request.headers)) return { value: {} };
  if (!/^application\/json *(;|$)/i.test(type ?? '')) return { problem: refuseType(type) };
  const bytes = await readBytes(request, limitBytes);
  if (bytes === 'broken off') return { problem: refuseBody('the body broke off before its end') };
  if (bytes === 'too large') {
    const message = `the body may have at most ${limitBytes} bytes here`;
    return { problem: { code: 'too_large', message, data: { limitBytes } } };
  }
  return parseBody(bytes);
}

function hasBody(headers: Headers): boolean {
  return headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > 0;
}

/** So much of a body beyond its limit is read before it is refused. */
const DISCARDED_BYTES = 64 * 1024 * 1024;

async function readBytes(request: Request, limitBytes: number): Promise<Uint8Array | 'too large' | 'broken off'> {
  const mostBytes = limitBytes + DISCARDED_BYTES;
  const declared = Number(request.headers.get('content-length') ?? 0);
  if (declared > mostBytes) return 'too large';
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of request.body ?? []) {
      length += chunk.byteLength;
      if (length > mostBytes) return 'too large';
      if (declared > limitBytes || length > limitBytes) chunks.length = 0;
      else chunks.push(chunk);
    }
    if (length > limitBytes) return 'too large';
  } catch {
    // Only the connection can fail here: who sends is gone, which is no fault of ours.
    return 'broken off';
  }
  return Buffer.concat(chunks, length);
}

function parseBody(bytes: Uint8Array): ReadBody {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    const what = error instanceof SyntaxError ? `no JSON: ${error.message}` : 'no UTF-8';
    return { problem: refuseBody(`the body is ${what}`) };
  }
  const message = findUnkept(value);
  return message === null ? { value } : { problem: refuseBody(`the body ${message}`) };
}

const MAX_DEPTH = 128;

/** What of a value no log could keep; without recursion, which a hostile value would break. */
function findUnkept(value: unknown): string | null {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return `nests deeper than ${MAX_DEPTH} levels`;
    const below: unknown[] = [];
    for (const item of level) {
      if (typeof item === 'string' && !item.isWellFormed()) return 'has half a character in a text';
      if (typeof item === 'number' && !Number.isFinite(item)) return 'has a number that is too large, like 1e999';
      if (typeof item !== 'object' || item === null) continue;
      for (const [name, inner] of Object.entries(item)) {
        if (!name.isWellFormed()) return 'has half a character in a name';
        below.push(inner);
      }
    }
    level = below;
  }
  return null;
}

function refuseBody(message: string): Problem {
  return { code: 'bad_usage', message };
}

function refuseType(type: string | null): Problem {
  const found = type === null ? 'none is named' : `not ${JSON.stringify(type.slice(0, 100))}`;
  return { code: 'unsupported_media_type', message: `the body must be application/json; ${found}` };
}
