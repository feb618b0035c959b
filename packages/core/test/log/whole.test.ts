import { createHash } from 'node:crypto';
import {
  type Digest,
  decodeValue,
  encodeLine,
  LINE_LIMIT_BYTES,
  payloadsIn,
  type Sha256,
  ZERO_DIGEST,
} from '@ramet/core';
import { describe, expect, it } from 'vitest';

const sha256: Sha256 = (data) => createHash('sha256').update(data).digest('hex') as Digest;
const ENVELOPE = { seq: 0, prev: ZERO_DIGEST, time: '2030-01-01T00:00:00.000Z' };

/** Encodes a value as the output of a run; answers its line and its payloads by name. */
function encodeOutput(output: unknown) {
  const line = encodeLine(ENVELOPE, { type: 'run.complete', output }, sha256);
  const payloads = new Map(line.payloads.map(({ digest, bytes }) => [digest, bytes]));
  return { line, read: (digest: Digest) => payloads.get(digest) ?? null };
}

describe('a value of many short parts', () => {
  const items = Array.from({ length: 100_000 }, (_, index) => ({ index, $blob: 'a name of its own', text: 'otter' }));

  it('leaves its line as one payload, and comes back as it was', () => {
    const { line, read } = encodeOutput({ items, bytes: new Uint8Array([0, 255]) });
    expect(line.bytes.length).toBeLessThan(LINE_LIMIT_BYTES);
    expect(payloadsIn({ output: line.event.output })).toMatchObject([{ encoding: 'json' }]);
    expect(decodeValue(line.event.output, read)).toEqual({ items, bytes: new Uint8Array([0, 255]) });
  });

  it('keeps its long texts with it: no payload names another', () => {
    const long = 'x'.repeat(300_000);
    const { line, read } = encodeOutput({ items, long });
    expect(line.payloads).toHaveLength(1);
    expect(decodeValue(line.event.output, read)).toEqual({ items, long });
  });

  it('stays in its line while that is short enough', () => {
    expect(encodeOutput(items.slice(0, 1_000)).line.payloads).toEqual([]);
  });

  it('is told when it is missing, or is no JSON', () => {
    const { line } = encodeOutput(items);
    expect(decodeValue(line.event.output, () => null)).toMatch(/is missing/);
    expect(decodeValue(line.event.output, () => new Uint8Array([0x7b]))).toMatch(/is not JSON/);
  });
});

describe('a list that readers want in the line', () => {
  it('is refused when it cannot fit', () => {
    const notices = Array.from({ length: 200_000 }, () => 'otters');
    const draft = { type: 'message', message: { role: 'user', content: 'go on' }, notices } as const;
    expect(() => encodeLine(ENVELOPE, draft, sha256)).toThrow('message at offset 0 has too long a notices');
  });
});

describe('a payload that a hostile log nests', () => {
  it('is not unfolded within another', () => {
    const inner = `{"$blob":"${'ab'.repeat(32)}","bytes":9,"encoding":"json"}`;
    const bomb = new TextEncoder().encode(`[${Array(10).fill(inner).join(',')}]`);
    const reference = JSON.parse(inner) as unknown;
    const value = decodeValue([reference, reference], () => bomb) as unknown[][];
    expect(value.map((part) => part.length)).toEqual([10, 10]);
    expect(new Set(value.flat())).toEqual(new Set([expect.stringMatching(/within another payload is left out/)]));
  });
});
