/**
 * Codes of what is said no to before Ramet itself is asked: they exist in HTTP alone. All other codes are in the one
 * table of core.
 */

/** Each with its status. */
export const HTTP_CODES = {
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  headers_too_large: 431,
} as const satisfies Record<string, number>;

/** A code that exists in HTTP alone. */
export type HttpCode = keyof typeof HTTP_CODES;
