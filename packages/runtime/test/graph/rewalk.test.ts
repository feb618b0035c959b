import { type Digest, type EventOf, encodeLine, knownEvent, type RewalkCall, ZERO_DIGEST } from '@ramet/core';
import { sha256 } from '@ramet/runtime/store';
import { EVENT_FIXTURES, makeTestId } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import { readRewalk } from '../../src/graph/history/rewalk.ts';

const id = makeTestId(2);

function makeCalls(count: number): readonly RewalkCall[] {
  return Array.from({ length: count }, (_, index) => ({
    offset: index + 10,
    node: `pay[${index % 3}]/send`,
    index: 0,
    tool: 'post',
    inputDigest: 'ab'.repeat(32) as Digest,
    effect: 'write',
    key: `key-${index}`,
    acknowledged: true,
  }));
}

/** The event 0 of a run, as its log holds it, and what lies beside the log. */
function encodeStart(rewalk: readonly RewalkCall[]) {
  const draft = { ...EVENT_FIXTURES['graph.start'], rewalk } as EventOf<'graph.start'>;
  const envelope = { seq: 0, prev: ZERO_DIGEST, time: '2030-01-01T00:00:00.000Z' };
  const line = encodeLine(envelope, draft, sha256);
  const payloads = new Map<string, Uint8Array>(line.payloads.map(({ digest, bytes }) => [digest, bytes]));
  return { start: knownEvent(line.event) as EventOf<'graph.start'>, payloads };
}

describe("the calls of a fork's source", () => {
  it('are told by node, in order', () => {
    const { start } = encodeStart(makeCalls(6));
    const rewalk = readRewalk(start, { id, readPayload: () => null });
    expect([...rewalk.keys()]).toEqual(['pay[0]/send', 'pay[1]/send', 'pay[2]/send']);
    expect(rewalk.get('pay[1]/send')?.map(({ key }) => key)).toEqual(['key-1', 'key-4']);
  });

  it('are found when there are more than a line holds', () => {
    const calls = makeCalls(9_000);
    const { start, payloads } = encodeStart(calls);
    expect(payloads.size).toBe(1);
    const rewalk = readRewalk(start, { id, readPayload: (digest) => payloads.get(digest) ?? null });
    expect([...rewalk.values()].flat()).toHaveLength(calls.length);
  });

  it('are no reason to guess when they are lost: the run is not gone on with', () => {
    const { start } = encodeStart(makeCalls(9_000));
    expect(() => readRewalk(start, { id, readPayload: () => null })).toThrow(
      /cannot be read.*is missing.*ramet verify/,
    );
  });
});
