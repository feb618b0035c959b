import { CHAIN_START, type Digest, followChain } from '@ramet/core';
import { buildFork, buildSession, encodeLog, makeTestId, sha256 } from '@ramet/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const LINES = encodeLog(buildSession({ turns: [{ replies: [{ text: 'hello', calls: [{}] }, {}] }, {}] }));

/** The digest the chain ends at, or null where it breaks. */
function follow(lines: readonly Uint8Array[]): Digest | null {
  let state = CHAIN_START;
  for (const bytes of lines) {
    const step = followChain(state, { text: Buffer.from(bytes).toString('utf8'), bytes }, sha256);
    if (step.kind === 'broken') return null;
    state = step.next;
  }
  return state.prev;
}

describe('the chain of a log', () => {
  it('ends at the SHA-256 of the last line', () => {
    const last = LINES.at(-1);
    expect(follow(LINES.map((line) => line.bytes))).toBe(sha256(last?.bytes ?? ''));
    expect(last?.digest).toBe(sha256(last?.bytes ?? ''));
  });

  it('breaks, or ends at another digest, when any bit of any line is flipped', () => {
    const place = fc
      .nat(LINES.length - 1)
      .chain((line) =>
        fc.record({ line: fc.constant(line), byte: fc.nat((LINES[line]?.bytes.length ?? 1) - 1), bit: fc.nat(7) }),
      );
    fc.assert(
      fc.property(place, ({ line, byte, bit }) => {
        const flipped = LINES.map(({ bytes }) => Uint8Array.from(bytes));
        const bytes = flipped[line] ?? new Uint8Array();
        bytes[byte] = (bytes[byte] ?? 0) ^ (1 << bit);
        expect(follow(flipped)).not.toBe(LINES.at(-1)?.digest);
        if (line < LINES.length - 1) expect(follow(flipped)).toBeNull();
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['a line is missing', LINES.toSpliced(3, 1)],
    ['two lines change places', LINES.with(3, LINES[4] ?? LINES[3]!).with(4, LINES[3]!)],
    ['a line is there twice', LINES.toSpliced(3, 0, LINES[3]!)],
    ['the first line is missing', LINES.slice(1)],
  ])('breaks when %s', (_, lines) => {
    expect(follow(lines.map((line) => line.bytes))).toBeNull();
  });

  it('goes on through a fork, whose digest is that of its parent at the boundary', () => {
    const child = buildFork(LINES, { id: makeTestId(2) });
    const fork = child.at(-1);
    expect(follow(child.map((line) => line.bytes))).toBe(fork?.digest);
    expect(fork?.event).toMatchObject({
      parent: makeTestId(1),
      digest: LINES.at(-1)?.digest,
      prev: LINES.at(-1)?.digest,
    });
  });

  it('says what it expected and found', () => {
    const line = LINES[1];
    const step = followChain(
      CHAIN_START,
      { text: Buffer.from(line?.bytes ?? []).toString(), bytes: line?.bytes ?? new Uint8Array() },
      sha256,
    );
    expect(step).toEqual({ kind: 'broken', expected: 'offset 0', found: 'offset 1' });
  });
});
