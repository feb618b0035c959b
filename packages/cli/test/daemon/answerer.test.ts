import { ApiProblem, type Client } from '@ramet/client';
import type { RunId } from '@ramet/core/events';
import type { ApprovalReply } from '@ramet/runtime/session';
import { describe, expect, it } from 'vitest';
import { makeAnswerer, type Question } from '../../src/daemon/answerer.ts';

const ID = '01932c07-7b1a-7c44-b1c6-0d5f2b9a1e77' as RunId;
const ALLOW: ApprovalReply = { answer: 'allow', scope: 'once', by: 'person' };

function askOf(callId: string, node?: string) {
  const open = { callId, tool: 'shell', input: {}, reason: 'it is asked about', outstanding: [], matches: false };
  return node === undefined ? open : { ...open, node };
}

/** A person who answers when told to, and a daemon that notes what it is sent. */
function makeScene(refuse: (callId: string) => boolean = () => false) {
  const asked: { readonly question: Question; readonly signal: AbortSignal; reply(reply: ApprovalReply): void }[] = [];
  const sent: unknown[] = [];
  const call = async (_name: string, request: { readonly path: { readonly callId: string } }): Promise<unknown> => {
    if (refuse(request.path.callId)) {
      const problem = { type: '', title: '', status: 400, detail: 'answered already', code: 'nothing_to_do' } as const;
      throw new ApiProblem(problem);
    }
    sent.push(request);
    return {};
  };
  const ask = (question: Question, signal: AbortSignal): Promise<ApprovalReply> =>
    new Promise((resolve, reject) => {
      asked.push({ question, signal, reply: resolve });
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  const answerer = makeAnswerer({ call } as unknown as Client, ID, ask);
  return { answerer, asked, sent };
}

/** Lets everything that is ready go on. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the questions of a run that the daemon drives', () => {
  it('are asked one after the other, each once however often it is told, and answered to the node that asks', async () => {
    const { answerer, asked, sent } = makeScene();
    const open = [askOf('one', 'left'), askOf('one', 'right')];
    answerer.heed(open);
    answerer.heed(open);
    await settle();
    expect(asked.map(({ question }) => question.node)).toEqual(['left']);
    asked[0]?.reply(ALLOW);
    await settle();
    expect(asked.map(({ question }) => question.node)).toEqual(['left', 'right']);
    asked[1]?.reply({ ...ALLOW, answer: 'deny' });
    await settle();
    expect(sent).toEqual([
      { path: { id: ID, callId: 'one' }, body: { answer: 'allow', scope: 'once', node: 'left' } },
      { path: { id: ID, callId: 'one' }, body: { answer: 'deny', scope: 'once', node: 'right' } },
    ]);
  });

  it('are taken back when another answers them, before or while they are asked', async () => {
    const { answerer, asked, sent } = makeScene();
    answerer.heed([askOf('one'), askOf('two'), askOf('three')]);
    await settle();
    answerer.heed([askOf('three')]);
    await settle();
    expect(asked.map(({ question, signal }) => [question.callId, signal.aborted])).toEqual([
      ['one', true],
      ['three', false],
    ]);
    expect(sent).toEqual([]);
  });

  it('that were answered a moment before leave nothing to say', async () => {
    const { answerer, asked, sent } = makeScene((callId) => callId === 'one');
    answerer.heed([askOf('one'), askOf('two')]);
    await settle();
    asked[0]?.reply(ALLOW);
    await settle();
    asked[1]?.reply(ALLOW);
    await settle();
    expect(sent).toHaveLength(1);
    answerer.close();
  });
});
