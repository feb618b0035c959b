import { type ChainState, type EncodedLine, type EventDraft, encodeLine } from '@ramet/core';
import { sha256 } from './sha256.ts';

const NEWLINE = Uint8Array.of(0x0a);

/** Encodes events that follow a chain state, all at one time (Unix milliseconds). */
export function encodeLines(drafts: readonly EventDraft[], from: ChainState, nowMs: number): readonly EncodedLine[] {
  const time = new Date(nowMs).toISOString();
  let { seq, prev } = from;
  return drafts.map((draft) => {
    const line = encodeLine({ seq, prev, time }, draft, sha256);
    seq += 1;
    prev = line.digest;
    return line;
  });
}

/** The bytes of lines, each with its newline. */
export function linesToBytes(lines: readonly EncodedLine[]): Uint8Array {
  return Buffer.concat(lines.flatMap((line) => [line.bytes, NEWLINE]));
}
