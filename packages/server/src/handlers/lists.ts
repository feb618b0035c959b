/**
 * Pages of lists.
 *
 * 1. A page begins after the last row of the one before, wherever that row stands now: rows that come or move while somebody
 *    reads are seen at most once more, and none of the others is skipped.
 */
import { type Refusal, refuse } from '@ramet/core';

/** What a row is sorted by: the one that was active last comes first. */
export interface Row {
  readonly id: string;
  readonly lastTime: string;
}

export interface PageRequest<T> {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  /** Whether a row is wanted. */
  readonly matches: (row: T) => boolean;
}

/** What a list is asked for. */
export interface ListQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly project?: string | undefined;
  readonly search?: string | undefined;
}

export interface Page<T> {
  readonly rows: readonly T[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

const DEFAULT_LIMIT = 100;

/** Takes one page of sorted rows. */
export function takePage<T extends Row>(rows: readonly T[], request: PageRequest<T>): Page<T> | Refusal {
  const { limit = DEFAULT_LIMIT, cursor, matches } = request;
  const after = cursor === undefined ? null : parseCursor(cursor);
  if (after === undefined) {
    return refuse('bad_usage', 'query.cursor: is not the nextCursor of a page', {
      problems: [{ at: 'query.cursor', message: 'is not the nextCursor of a page' }],
    });
  }
  const page: T[] = [];
  for (const row of rows) {
    if (after !== null && !isAfter(row, after)) continue;
    if (!matches(row)) continue;
    const last = page.at(-1);
    if (page.length === limit && last !== undefined) return { rows: page, nextCursor: renderCursor(last) };
    page.push(row);
  }
  return { rows: page };
}

/** Whether a text is somewhere in what a person sees of a row. */
export function isFound(search: string | undefined, texts: readonly (string | undefined)[]): boolean {
  if (search === undefined) return true;
  const wanted = search.toLowerCase();
  return texts.some((text) => text?.toLowerCase().includes(wanted));
}

/** Ids break ties, as in lists. */
function isAfter(row: Row, place: Row): boolean {
  return row.lastTime < place.lastTime || (row.lastTime === place.lastTime && row.id < place.id);
}

function renderCursor({ lastTime, id }: Row): string {
  return Buffer.from(JSON.stringify([lastTime, id])).toString('base64url');
}

function parseCursor(text: string): Row | undefined {
  try {
    const [lastTime, id] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as readonly unknown[];
    return typeof lastTime === 'string' && typeof id === 'string' ? { lastTime, id } : undefined;
  } catch {
    return undefined;
  }
}
