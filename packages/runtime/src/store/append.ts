import type { EventDraft } from '@ramet/core/events';
import { type ChainState, type EncodedLine, encodeNext } from '@ramet/core/log';
import { sha256 } from './sha256.ts';

const NEWLINE = Uint8Array.of(0x0a);

/** Lines that were encoded, and where the chain stands after them. */
export interface EncodedLines {
  readonly lines: readonly EncodedLine[];
  readonly chain: ChainState;
}

/** Encodes events that follow a chain state, all at one time (Unix milliseconds). */
export function encodeLines(drafts: readonly EventDraft[], from: ChainState, nowMs: number): EncodedLines {
  const time = new Date(nowMs).toISOString();
  let chain = from;
  const lines = drafts.map((draft) => {
    const { line, next } = encodeNext(chain, { draft, time }, sha256);
    chain = next;
    return line;
  });
  return { lines, chain };
}

/** The bytes of lines, each with its newline. */
export function linesToBytes(lines: readonly EncodedLine[]): Uint8Array {
  return Buffer.concat(lines.flatMap((line) => [line.bytes, NEWLINE]));
}

/** Whether the last line so far is event 0 of a graph run: it stands alone in its segment. */
export function isRunStart(chain: ChainState): boolean {
  return chain.run !== null && chain.seq === 1;
}
