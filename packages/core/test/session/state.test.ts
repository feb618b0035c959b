import { createSessionFold, type EventDraft, type SessionState } from '@ramet/core';
import { buildFork, buildSession, encodeLog, makeTestId } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';

const END: EventDraft = { type: 'session.end', reason: 'completed', checkpoint: 'none', why: 'test' };
const REQUEST: EventDraft = {
  type: 'model.request',
  digest: 'ab'.repeat(32) as never,
  model: 'test/model',
  attempt: 1,
  purpose: 'turn',
};

function say(key?: string): EventDraft {
  return { type: 'message', message: { role: 'user', content: 'go' }, ...(key === undefined ? {} : { key }) };
}

function fail(code: string, purpose: 'turn' | 'compact' = 'turn'): EventDraft {
  return { type: 'model.response', model: 'test/model', attempt: 1, purpose, error: { code, message: code } };
}

function foldSession(...drafts: readonly EventDraft[]): SessionState {
  const session = createSessionFold();
  for (const { event } of encodeLog([...buildSession({ turns: [] }), ...drafts])) session.add(event);
  return session.state;
}

describe('requests of the open turn', () => {
  it.each<[string, readonly EventDraft[], number]>([
    ['that failed count', [REQUEST, fail('model_failed')], 1],
    ['that were told to stop do not: they are made again', [REQUEST, fail('interrupted'), REQUEST], 1],
    ['do not become fewer by a compaction that was told to stop', [REQUEST, fail('interrupted', 'compact')], 1],
    ['are none where a response has no request', [fail('interrupted')], 0],
  ])('%s', (_, drafts, count) => {
    expect(foldSession(say(), ...drafts).open?.requests).toBe(count);
  });
});

describe('messages with a key', () => {
  it('are known with their turn, and with its end once it has ended', () => {
    const state = foldSession(say(), END, say('one'), END, say('two'));
    expect([...state.keyed]).toMatchObject([
      ['one', { turn: 2, end: { reason: 'completed' } }],
      ['two', { turn: 3 }],
    ]);
    expect(state.keyed.get('two')).not.toHaveProperty('end');
  });

  it('are an ancestor’s after a fork', () => {
    const session = createSessionFold();
    const source = encodeLog([...buildSession({ turns: [] }), say('one'), END]);
    for (const { event } of buildFork(source, { id: makeTestId(2) })) session.add(event);
    expect(session.state.id).toBe(makeTestId(2));
    expect(session.state.keyed.size).toBe(0);
  });
});
