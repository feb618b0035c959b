import { makeClient } from '@ramet/client';
import type { EventDraft } from '@ramet/core';
import { buildSession } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import { makeGrant, readGrants } from '../../src/fork/grants.ts';
import { eventsOf } from '../transcript/logs.ts';

/** A session in which a call was allowed for the rest of it, and another one once. */
function makeLog() {
  const turn = (callId: string, command: string, scope: 'once' | 'session'): readonly EventDraft[] => {
    const [, , ...drafts] = buildSession({ turns: [{ replies: [{ calls: [{ callId, input: { command } }] }, {}] }] });
    const at = drafts.findIndex(({ type }) => type === 'tool.intent');
    const answer: EventDraft = { type: 'approval.answer', callId, answer: 'allow', by: 'person', scope };
    return drafts.toSpliced(at, 0, answer);
  };
  const [start, config] = buildSession({ turns: [] });
  const head = [start, config].filter((draft) => draft !== undefined);
  const turns = [turn('a', 'make deploy', 'session'), turn('b', 'ls', 'once'), turn('c', 'rm *', 'session')];
  return eventsOf([...head, ...turns.flat()]);
}

const EVENTS = makeLog();
const ENDS = EVENTS.filter(({ type }) => type === 'session.end').map(({ seq }) => seq);

async function grantsAt(at: number) {
  const client = makeClient({
    baseUrl: 'http://daemon',
    fetch: async (url) => {
      const query = new URL(url).searchParams;
      const from = Number(query.get('from'));
      // Pages are shorter than what was asked for: there is always a next one.
      const events = EVENTS.slice(from, from + Math.min(3, Number(query.get('limit'))));
      const next = from + events.length;
      return Response.json({ id: 'a', events, next: next < EVENTS.length ? next : null, total: EVENTS.length });
    },
  });
  return readGrants(client, { id: 'a', at }, new AbortController().signal);
}

describe('approvals that stood at a turn', () => {
  it('are those for the rest of the session, up to its end and no further', async () => {
    const [first = 0, second = 0, third = 0] = ENDS;
    expect((await grantsAt(first)).map(({ rule }) => rule)).toEqual([
      { tool: 'shell', match: 'make deploy', do: 'allow' },
    ]);
    expect(await grantsAt(second)).toHaveLength(1);
    expect((await grantsAt(third)).map(({ rule }) => rule.match)).toEqual(['make deploy', 'rm *']);
  });
});

describe('an approval given again as a rule', () => {
  it('matches what it was given for: the command, the path, or the whole input', () => {
    expect(makeGrant('shell', { command: ' make ' }).rule).toEqual({ tool: 'shell', match: 'make', do: 'allow' });
    expect(makeGrant('write_file', { path: 'a', content: 'x' }).rule.match).toBe('a');
    expect(makeGrant('mcp__mail__send', { to: 'me', body: 'x' }).rule.match).toBe('{"body":"x","to":"me"}');
  });

  it('says when it allows more than that', () => {
    expect(makeGrant('shell', { command: 'rm *' }).isWider).toBe(true);
    expect(makeGrant('shell', { command: 'rm a' }).isWider).toBe(false);
  });
});
