import { join } from 'node:path';
import { type ChainState, type EncodedLine, type EventDraft, encodeLine, type Payload } from '@ramet/core';
import { makeFolder, replaceFile, SEALED_MODE } from './durable.ts';
import { readPayloadFile } from './log-folder.ts';
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

/**
 * Writes a payload unless it is there; returns its path. One that is there may be half of what a crash cut off: it is
 * kept only when its bytes are right.
 */
export function writePayload(blobs: string, payload: Payload): string {
  const path = join(blobs, payload.digest);
  makeFolder(blobs);
  const present = readPayloadFile(blobs, payload.digest);
  if (present === null || sha256(present) !== payload.digest) {
    replaceFile(path, payload.bytes, { mode: SEALED_MODE, sync: true });
  }
  return path;
}
