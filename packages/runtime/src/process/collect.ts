import type { Readable } from 'node:stream';

/** What was kept of a stream; what is over the limit is read and dropped, so the writer never blocks. */
export interface Collector {
  /** What was kept, in one piece: the head, and directly after it the tail. */
  bytes(): Buffer;
  /** Bytes left out between the head and the tail. */
  dropped(): number;
  /** Whether anything was dropped, or the stream failed. */
  truncated(): boolean;
}

export interface CollectLimits {
  readonly limitBytes: number;
  /** How many of `limitBytes` are kept from the end of the stream instead of its start. */
  readonly tailBytes?: number;
  /** Called with each piece as it arrives; the piece may not be kept. */
  readonly onData?: (chunk: Buffer) => void;
}

/** Reads a stream to its end, keeping at most `limitBytes`. */
export function collectStream(stream: Readable | null, limits: CollectLimits): Collector {
  const tailBytes = Math.min(limits.tailBytes ?? 0, limits.limitBytes);
  const head = makeHead(limits.limitBytes - tailBytes);
  const tail = makeTail(tailBytes);
  let failed = false;
  stream?.on('data', (chunk: Buffer) => {
    limits.onData?.(chunk);
    tail.push(head.push(chunk));
  });
  stream?.on('error', () => {
    failed = true;
  });
  const dropped = () => tail.dropped();
  return {
    bytes: () => Buffer.concat([head.bytes(), tail.bytes()]),
    dropped,
    truncated: () => failed || dropped() > 0,
  };
}

/** Keeps the first bytes; answers what it did not keep. */
function makeHead(limitBytes: number): { push(chunk: Buffer): Buffer; bytes(): Buffer } {
  const chunks: Buffer[] = [];
  let room = limitBytes;
  const push = (chunk: Buffer) => {
    const kept = chunk.subarray(0, room);
    // Copied when cut, so that a small part does not hold a large chunk in memory.
    if (kept.length > 0) chunks.push(kept.length < chunk.length ? Buffer.from(kept) : chunk);
    room -= kept.length;
    return chunk.subarray(kept.length);
  };
  return { push, bytes: () => Buffer.concat(chunks) };
}

/** Keeps the last bytes, in at most twice their space, and counts those it let go. */
function makeTail(limitBytes: number): { push(chunk: Buffer): void; bytes(): Buffer; dropped(): number } {
  let kept: Buffer = Buffer.alloc(0);
  let chunks: Buffer[] = [];
  let pending = 0;
  let seen = 0;
  const settle = () => {
    const all = Buffer.concat([kept, ...chunks]);
    kept = limitBytes === 0 ? Buffer.alloc(0) : Buffer.from(all.subarray(-limitBytes));
    chunks = [];
    pending = 0;
  };
  const push = (chunk: Buffer) => {
    seen += chunk.length;
    if (limitBytes === 0 || chunk.length === 0) return;
    chunks.push(chunk);
    pending += chunk.length;
    if (pending > limitBytes) settle();
  };
  const bytes = () => {
    settle();
    return kept;
  };
  return { push, bytes, dropped: () => Math.max(0, seen - limitBytes) };
}
