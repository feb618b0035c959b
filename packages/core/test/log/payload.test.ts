import {
  canonicalJson,
  decodeValue,
  type EventDraft,
  encodeLine,
  Failure,
  knownEvent,
  LINE_LIMIT_BYTES,
  PAYLOAD_LIMIT_BYTES,
  parseLine,
  payloadsIn,
  ZERO_DIGEST,
} from '@ramet/core';
import { EVENT_FIXTURES, sha256 } from '@ramet/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const ENVELOPE = { seq: 3, prev: ZERO_DIGEST, time: '2030-01-01T00:00:00.000Z' };

/** Writes a value as the input of a call and reads it back from the line's text and payloads. */
function throughALine(value: unknown): unknown {
  const line = encodeLine(ENVELOPE, intentWith(value), sha256);
  expect(line.bytes.length).toBeLessThanOrEqual(LINE_LIMIT_BYTES);
  const event = parseLine(Buffer.from(line.bytes).toString('utf8'));
  if (typeof event === 'string') throw new Error(event);
  const payloads = new Map(line.payloads.map(({ digest, bytes }) => [digest, bytes]));
  expect(payloadsIn({ input: event.input }).map(({ $blob }) => $blob)).toEqual(
    line.payloads.map(({ digest }) => digest),
  );
  return decodeValue(event.input, (digest) => payloads.get(digest) ?? null);
}

function intentWith(input: unknown): EventDraft {
  return { ...(EVENT_FIXTURES['tool.intent'] as EventDraft & { type: 'tool.intent' }), input };
}

function nest(levels: number): unknown {
  let value: unknown = 'core';
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { inner: value };
  return value;
}

const RESERVED = fc.constantFrom('$blob', '$base64', '$literal', '__proto__', 'constructor', 'bytes', 'encoding');
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.uint8Array({ maxLength: 20 }),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.array(fc.tuple(fc.oneof(RESERVED, fc.string()), tie('any')), { maxLength: 4 }).map((e) => Object.fromEntries(e)),
  ),
})).any;

describe('a value in a line', () => {
  it('comes back as it was, reserved keys and bytes included', () => {
    fc.assert(
      fc.property(value, (input) => {
        expect(throughALine(input)).toEqual(input);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['a payload reference of a user', { $blob: 'ab'.repeat(32), bytes: 3, encoding: 'utf8' }],
    ['a wrapper of a user', { $literal: { $literal: { $base64: 'x' } } }],
    ['a wrapper of a user around a list', { $literal: [{ $blob: 1 }] }],
    ['an own __proto__', JSON.parse('{"__proto__":{"$blob":"x"},"a":1}') as unknown],
    ['a long string', 'é'.repeat(PAYLOAD_LIMIT_BYTES)],
    ['a long string in a user object with a reserved key', { $blob: 'x'.repeat(PAYLOAD_LIMIT_BYTES + 1) }],
    ['many bytes', new Uint8Array(PAYLOAD_LIMIT_BYTES + 1).fill(7)],
    ['strings that only together are too long', Array.from({ length: 8 }, (_, i) => `${i}`.repeat(200_000))],
    ['1,000 strings of 2,000 bytes', Array.from({ length: 1000 }, (_, index) => `${index}`.padEnd(2000, 'x'))],
    ['a value of 200 levels', nest(200)],
  ])('comes back: %s', (_, input) => {
    expect(throughALine(input)).toEqual(input);
  });

  it('has its lone surrogates replaced, in keys too', () => {
    expect(throughALine({ 'a\ud800': ['\udfffb', '😀'] })).toEqual({ 'a\ufffd': ['\ufffdb', '😀'] });
  });

  it('leaves its line exactly above the limit', () => {
    const payloadsOf = (text: string) => encodeLine(ENVELOPE, intentWith(text), sha256).payloads.length;
    expect([payloadsOf('x'.repeat(PAYLOAD_LIMIT_BYTES)), payloadsOf('x'.repeat(PAYLOAD_LIMIT_BYTES + 1))]).toEqual([
      0, 1,
    ]);
  });

  it('is refused when it nests deeper than 200 levels', () => {
    expect(() => throughALine(nest(201))).toThrow(Failure);
  });

  it('is a sentence when its payload is missing', () => {
    const reference = { $blob: 'ab'.repeat(32), bytes: 3, encoding: 'utf8' };
    expect(decodeValue([reference], () => null)).toEqual([`[payload ${'ab'.repeat(32)} of 3 bytes is missing]`]);
  });

  it('never asks for a payload by a name that is no digest', () => {
    const asked: string[] = [];
    const ask = (digest: string) => {
      asked.push(digest);
      return null;
    };
    const hostile = { $blob: '../../../etc/passwd', bytes: 1, encoding: 'utf8' };
    expect(decodeValue(hostile, ask)).toEqual(hostile);
    expect({ asked, found: payloadsIn({ input: hostile }) }).toEqual({ asked: [], found: [] });
  });

  it('of a foreign line may nest as deep as a line is long', () => {
    const deep = JSON.parse(`${'['.repeat(500_000)}${']'.repeat(500_000)}`) as unknown;
    expect(payloadsIn({ input: deep })).toEqual([]);
    expect(JSON.stringify(decodeValue(deep, () => null))).toContain('is left out');
  });

  it('may be anything without making a reader throw', () => {
    const foreign = fc
      .array(fc.tuple(RESERVED, fc.jsonValue()), { maxLength: 3 })
      .map((each) => Object.fromEntries(each));
    fc.assert(
      fc.property(fc.oneof(foreign, fc.jsonValue()), (found) => {
        payloadsIn({ input: found });
        decodeValue(found, () => new Uint8Array(3));
      }),
    );
  });
});

describe('a line', () => {
  it.each(Object.values(EVENT_FIXTURES))('of $type is still known after it was written', (draft) => {
    const line = encodeLine(ENVELOPE, draft, sha256);
    expect(knownEvent(line.event)).not.toBeNull();
    expect(parseLine(Buffer.from(line.bytes).toString())).toEqual(line.event);
    expect(Buffer.from(line.bytes).toString()).toMatch(/^\{"seq":3,"prev":"0{64}","time":"[^"]+","type":"/);
  });

  it('keeps the short texts of its event, however much of it leaves', () => {
    const input = Array.from({ length: 1500 }, (_, index) => `${index}`.padEnd(900, 'x'));
    const { event } = encodeLine(ENVELOPE, { ...intentWith(input), key: 'k'.repeat(900) } as EventDraft, sha256);
    expect(event.key).toBe('k'.repeat(900));
  });

  it('may hold a summary that left it', () => {
    const summary = 's'.repeat(PAYLOAD_LIMIT_BYTES + 1);
    const line = encodeLine(ENVELOPE, { type: 'context.compact', summary, through: 1 }, sha256);
    expect(line.payloads).toHaveLength(1);
    expect(knownEvent(line.event)).not.toBeNull();
  });

  it('is refused when a name in it is as long as a payload', () => {
    const title = 't'.repeat(PAYLOAD_LIMIT_BYTES + 1);
    expect(() => encodeLine(ENVELOPE, { type: 'session.title', title }, sha256)).toThrow(/too long a title/);
  });

  it('is not made of an event that lacks a field', () => {
    expect(() => encodeLine(ENVELOPE, { type: 'session.title' } as EventDraft, sha256)).toThrow(/bug: .* title/);
  });

  it.each(['', '[]', 'null', '{}', '{"seq":-1}', '{"seq":1.5}', '\ufeff{}', '{"seq":0,"prev":"0"}'])(
    'is not %j',
    (text) => {
      expect(typeof parseLine(text)).toBe('string');
    },
  );
});

describe('canonical JSON', () => {
  it('is JSON of the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (found) => {
        expect(JSON.parse(canonicalJson(found))).toEqual(JSON.parse(JSON.stringify(found)));
      }),
    );
  });

  it('does not depend on the order of keys', () => {
    const entries = fc.uniqueArray(fc.tuple(fc.string(), fc.jsonValue()), { selector: ([key]) => key });
    fc.assert(
      fc.property(entries, (found) => {
        const reversed = Object.fromEntries(found.toReversed());
        expect(canonicalJson({ a: reversed })).toBe(canonicalJson({ a: Object.fromEntries(found) }));
      }),
    );
  });

  it.each([
    [{ b: 1, a: [1, { d: null, c: 'x' }] }, '{"a":[1,{"c":"x","d":null}],"b":1}'],
    [{ a: undefined, b: [undefined] }, '{"b":[null]}'],
    [-0, '0'],
    ['\u2028"', '"\u2028\\""'],
    [{ '10': 1, '9': 2 }, '{"10":1,"9":2}'],
  ])('of %j is %s', (found, text) => {
    expect(canonicalJson(found)).toBe(text);
  });
});
