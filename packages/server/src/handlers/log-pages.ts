/**
 * Pages of logs, as they are answered: the recorded lines, joined.
 *
 * 1. Lines go out as the bytes they are: their numbers and their order of members are what was recorded.
 * 2. A page is kept for as long as its run's row is the very same, those that were asked for last within a number of bytes.
 */

import type { RunSummary } from '@ramet/runtime/inspect';
import type { LogReader } from '@ramet/runtime/store';

export interface PageQuery {
  readonly from: number;
  readonly limit: number;
}

/** A page ends after the line that fills it. */
const PAGE_BYTES = 8 * 1024 * 1024;
const KEPT_BYTES = 8 * 1024 * 1024;
/** A larger one takes so long to send that making it again hardly counts. */
const LARGEST_KEPT = 1024 * 1024;

const COMMA = Buffer.from(',');
const EMPTY = Buffer.alloc(0);

interface Kept {
  readonly row: RunSummary;
  readonly bytes: Buffer;
}

/** The pages of a store that were asked for last. */
export class LogPages {
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  /** A page of a run's log; `row` is how the run is right now. */
  render(row: RunSummary, reader: LogReader, query: PageQuery): Buffer {
    const key = `${row.id} ${query.from} ${query.limit}`;
    const known = this.#kept.get(key);
    this.#drop(key);
    const bytes = known?.row === row ? known.bytes : renderPage(row, reader, query);
    if (bytes.length <= LARGEST_KEPT) this.#keep(key, { row, bytes });
    return bytes;
  }

  #keep(key: string, page: Kept): void {
    this.#kept.set(key, page);
    this.#bytes += page.bytes.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= KEPT_BYTES) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes.length ?? 0;
    this.#kept.delete(key);
  }
}

function renderPage({ id, events: total, damage }: RunSummary, reader: LogReader, { from, limit }: PageQuery): Buffer {
  const to = Math.min(from + limit, total) - 1;
  const lines: Uint8Array[] = [];
  let size = 0;
  for (const line of from > to ? [] : reader.readBytes({ from, to })) {
    lines.push(line);
    size += line.length;
    if (size >= PAGE_BYTES) break;
  }
  const next = from + lines.length < total ? from + lines.length : null;
  const more = JSON.stringify({ next, total, ...(damage === undefined ? {} : { damage }) });
  const parts = lines.flatMap((line, index) => [index === 0 ? EMPTY : COMMA, line.subarray(0, -1)]);
  return Buffer.concat([Buffer.from(`{"id":"${id}","events":[`), ...parts, Buffer.from(`],${more.slice(1)}`)]);
}
