/** Headers of every response: what a browser may do with it. */

/**
 * Only files of this server run or style a page; an image may also be bytes that a script of ours holds (an attachment).
 * Nothing is framed, and no form is sent anywhere.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** By name. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * Makes a response: every one of this server's is made here. Headers are plain until they are sent, which is several times
 * as fast as to add them to a response.
 */
export function respond(
  body: ConstructorParameters<typeof Response>[0],
  { status = 200, headers = {} }: ResponseParts = {},
): Response {
  return new Response(body, { status, headers: { ...SECURITY_HEADERS, ...headers } });
}

interface ResponseParts {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers with JSON: of this moment, and nobody else's. */
export function respondJson(value: unknown, status = 200): Response {
  return respond(JSON.stringify(value), { status, headers: JSON_HEADERS });
}

/** Of answers in JSON. */
export const JSON_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
};
