import {
  EVENT_TYPES,
  type EventDraft,
  type EventType,
  knownEvent,
  type LoggedEvent,
  makeRunId,
  parseDigest,
  parseRunId,
  problemsOf,
} from '@ramet/core';
import { EVENT_FIXTURES } from '@ramet/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const DRAFTS = Object.values(EVENT_FIXTURES);

/** Fields that may be absent, by type; the page of the log format marks them `?`. */
const OPTIONAL: { readonly [T in EventType]: readonly string[] } = {
  'session.start': ['title', 'forkedFrom', 'key'],
  'session.config': [],
  'workspace.open': [],
  'workspace.checkpoint': [],
  'workspace.restore': ['reason'],
  message: ['notices', 'key'],
  'model.request': [],
  'model.response': ['message', 'finishReason', 'usage', 'cost', 'error'],
  'tool.intent': ['attempt', 'acknowledged'],
  'tool.result': ['egress', 'receipt'],
  'tool.resolve': ['output'],
  'approval.request': ['outstanding'],
  'approval.answer': [],
  'context.compact': [],
  'session.title': [],
  'log.repair': [],
  'session.end': ['why', 'error'],
  'session.fork': ['title', 'outstanding', 'key'],
  'graph.start': ['title', 'labels', 'forkedFrom', 'rewalk', 'key'],
  'node.enter': ['node'],
  'node.exit': ['node', 'output', 'error', 'retryAt'],
  'node.skip': ['node'],
  'branch.take': ['node'],
  'map.open': ['node'],
  'map.item': ['node', 'output', 'error'],
  'fold.pass': ['node'],
  'gate.open': ['node'],
  'gate.answer': ['node'],
  now: ['node'],
  random: ['node'],
  'run.complete': [],
  'run.fail': [],
  'run.abandon': ['reason'],
};

/** Fields that hold any value at all. */
const FREE: { readonly [T in EventType]?: readonly string[] } = {
  'tool.intent': ['input'],
  'approval.request': ['input'],
  'graph.start': ['input'],
  'node.enter': ['input'],
  'node.exit': ['output'],
  'map.item': ['output'],
  'fold.pass': ['output'],
  'gate.answer': ['answer'],
  'run.complete': ['output'],
};

function fieldsOf(draft: EventDraft): readonly string[] {
  return Object.keys(draft).filter((name) => name !== 'type');
}

function logged(fields: object): LoggedEvent {
  return { seq: 0, prev: '0'.repeat(64), time: '2030-01-01T00:00:00.000Z', type: 'x', ...fields } as LoggedEvent;
}

describe('a known event', () => {
  it('is of one of the types that have a fixture', () => {
    expect([...EVENT_TYPES].sort()).toEqual(Object.keys(EVENT_FIXTURES).sort());
  });

  it.each(DRAFTS)('$type has no problem with all its fields', (draft) => {
    expect(problemsOf(draft)).toEqual([]);
    expect(knownEvent(logged(draft))).not.toBeNull();
  });

  it.each(DRAFTS)('$type may lack only its optional fields', (draft) => {
    const lacking = (name: string) => logged({ ...draft, [name]: undefined });
    const needed = fieldsOf(draft).filter((name) => knownEvent(lacking(name)) === null);
    const optional = OPTIONAL[draft.type];
    expect(needed).toEqual(fieldsOf(draft).filter((name) => !optional.includes(name)));
  });

  it.each(DRAFTS)('$type is not taken for known when a field is of another kind', (draft) => {
    const accepted = fieldsOf(draft).filter(
      (name) => knownEvent(logged({ ...draft, [name]: Symbol.iterator })) !== null,
    );
    const free = ['node', ...(FREE[draft.type] ?? [])];
    expect(accepted).toEqual(fieldsOf(draft).filter((name) => free.includes(name)));
  });

  it('keeps fields it does not know', () => {
    expect(knownEvent(logged({ ...EVENT_FIXTURES['session.title'], colour: 'red' }))).toMatchObject({ colour: 'red' });
  });

  it.each(['x.y', '', 'toString', '__proto__', 'constructor'])('is not of the type %j', (type) => {
    expect(knownEvent(logged({ type }))).toBeNull();
    expect(problemsOf(logged({ type }))).toEqual(['type']);
  });

  it('may hold any value without making a reader throw', () => {
    const hostile = fc.dictionary(
      fc.constantFrom(...DRAFTS.flatMap(fieldsOf)),
      fc.oneof(fc.anything(), fc.constant({ content: null }), fc.constant({ content: [null, 1] })),
    );
    fc.assert(
      fc.property(fc.constantFrom(...EVENT_TYPES, 7 as never, null as never), hostile, (type, fields) => {
        knownEvent(logged({ ...fields, type }));
      }),
    );
  });
});

describe('a run id', () => {
  const time = fc.integer({ min: 0, max: 2 ** 48 - 1 });
  const random = fc.uint8Array({ minLength: 10, maxLength: 10 });

  it('is a UUID of version 7 and its variant', () => {
    fc.assert(
      fc.property(time, random, (timeMs, bytes) => {
        const id = makeRunId(timeMs, bytes);
        expect(parseRunId(id)).toBe(id);
        expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(timeMs);
      }),
    );
  });

  it('sorts by time', () => {
    fc.assert(
      fc.property(time, time, random, (left, right, bytes) => {
        const reversed = bytes.toReversed();
        expect(Math.sign(left - right)).toBe(
          compare(makeRunId(left, bytes), makeRunId(right, reversed), left === right),
        );
      }),
    );
  });

  it('keeps every random bit that the version and the variant leave', () => {
    const ones = makeRunId(0, new Uint8Array(10).fill(0xff));
    const zeros = makeRunId(0, new Uint8Array(10));
    expect([zeros, ones]).toEqual(['00000000-0000-7000-8000-000000000000', '00000000-0000-7fff-bfff-ffffffffffff']);
  });

  it.each(['', '01890000-0000-7000-8000-00000000000A', '01890000-0000-4000-8000-000000000001', '../x', null, 7])(
    'is not %j',
    (text) => {
      expect(parseRunId(text)).toBeNull();
    },
  );

  it('is not followed by anything', () => {
    expect(parseRunId('01890000-0000-7000-8000-000000000001\n')).toBeNull();
    expect(parseDigest(`${'a'.repeat(64)}\n`)).toBeNull();
  });
});

function compare(left: string, right: string, sameTime: boolean): number {
  if (sameTime) return 0;
  return left < right ? -1 : 1;
}
