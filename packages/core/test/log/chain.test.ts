import { CHAIN_START, type ChainState, type Digest, encodeNext, followChain } from '@ramet/core';
import {
  buildFork,
  buildNode,
  buildRun,
  buildRunFork,
  buildSession,
  encodeLog,
  makeTestId,
  sha256,
} from '@ramet/testkit';
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

describe('the chain of a graph run', () => {
  const node = (path: string) => ({ path, calls: [{}] });
  const root = encodeLog(buildRun({ nodes: ['a', 'b', 'c'].map(node) }));
  const lastEnter = root.findLastIndex(({ event }) => event.type === 'node.enter');

  /** The state after lines, or what is wrong with the first that does not follow. */
  function walk(lines: readonly Uint8Array[]): ChainState | { readonly at: number; readonly expected: string } {
    let state = CHAIN_START;
    for (const [at, bytes] of lines.entries()) {
      const step = followChain(state, { text: Buffer.from(bytes).toString(), bytes }, sha256);
      if (step.kind === 'broken') return { at, expected: step.expected };
      state = step.next;
    }
    return state;
  }

  const bytesOf = (lines: readonly { readonly bytes: Uint8Array }[]) => lines.map(({ bytes }) => bytes);

  it('goes on from its event 0 as any other does', () => {
    const event0 = root[0]?.digest;
    expect(walk(bytesOf(root))).toEqual({
      seq: root.length,
      prev: root.at(-1)?.digest,
      run: { event0, ownFrom: null },
    });
    expect(root[1]?.event.prev).toBe(event0);
  });

  it('of a fork goes past its own event 0, and names it in the first event of its own', () => {
    const child = encodeLog(buildNode(node('c')), buildRunFork(root, { id: makeTestId(2) }));
    const run = { event0: child[0]?.digest, ownFrom: lastEnter };
    expect(walk(bytesOf(child))).toEqual({ seq: child.length, prev: child.at(-1)?.digest, run });
    expect(child.slice(1, lastEnter)).toEqual(root.slice(1, lastEnter));
    expect(child[lastEnter]?.event).toMatchObject({ prev: root[lastEnter - 1]?.digest, event0: child[0]?.digest });
    expect(child[lastEnter + 1]?.event.event0).toBeUndefined();
  });

  it('of a fork of a fork points to the event 0 the first of them began with', () => {
    const child = encodeLog(buildNode(node('c')), buildRunFork(root, { id: makeTestId(2), at: 1 }));
    const grandchild = encodeLog(buildNode(node('c')), buildRunFork(child, { id: makeTestId(3), at: 1 }));
    expect(grandchild[1]?.event).toMatchObject({ prev: root[0]?.digest, event0: grandchild[0]?.digest });
    expect(walk(bytesOf(grandchild))).toMatchObject({ seq: grandchild.length });
  });

  it('breaks at the first event of its own when its event 0 is another, or is not named', () => {
    const child = encodeLog(buildNode(node('c')), buildRunFork(root, { id: makeTestId(2) }));
    const other = buildRunFork(root, { id: makeTestId(9) });
    const expected = `event0 ${other[0]?.digest}`;
    expect(walk(bytesOf([...other.slice(0, 1), ...child.slice(1)]))).toEqual({ at: lastEnter, expected });
    const { event0: _, ...bare } = child[lastEnter]?.event ?? {};
    const lines = bytesOf(child).with(lastEnter, Buffer.from(JSON.stringify(bare)));
    expect(walk(lines)).toEqual({ at: lastEnter, expected: `event0 ${child[0]?.digest}` });
  });

  it('breaks, or ends at another digest, when any bit of a forked run is flipped', () => {
    const child = encodeLog(buildNode(node('c')), buildRunFork(root, { id: makeTestId(2) }));
    const end = walk(bytesOf(child)) as ChainState;
    const places = fc
      .nat(child.length - 1)
      .chain((line) =>
        fc.record({ line: fc.constant(line), byte: fc.nat((child[line]?.bytes.length ?? 1) - 1), bit: fc.nat(7) }),
      );
    fc.assert(
      fc.property(places, ({ line, byte, bit }) => {
        const flipped = child.map(({ bytes }) => Uint8Array.from(bytes));
        const bytes = flipped[line] ?? new Uint8Array();
        bytes[byte] = (bytes[byte] ?? 0) ^ (1 << bit);
        const found = walk(flipped);
        if (line < child.length - 1) expect(found).toHaveProperty('at');
        else expect(found).not.toEqual(end);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['of a session', encodeLog(buildSession({ turns: [{}] }))],
    ['of a run that was not forked', root],
  ])('%s has no event0 anywhere', (_, lines) => {
    for (const at of lines.keys()) {
      const event = { ...lines[at]?.event, event0: lines[0]?.digest };
      expect(walk(bytesOf(lines).with(at, Buffer.from(JSON.stringify(event))))).toEqual({ at, expected: 'no event0' });
    }
  });

  it('takes no event0 from who writes an event', () => {
    const draft = { type: 'now' as const, value: 'x', event0: 'a'.repeat(64) as Digest };
    expect(() => encodeNext(CHAIN_START, { draft, time: '' }, sha256)).toThrow('event0');
  });
});
