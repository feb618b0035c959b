import { callShell, type GraphHarness, makeGraphHarness, type RunOptions } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ApprovalQuestion, type ApprovalReply, SUSPEND } from '../../src/session/index.ts';

let harness: GraphHarness;

beforeEach(() => {
  harness = makeGraphHarness();
});

afterEach(() => {
  expect(harness.problems()).toEqual([]);
  harness.remove();
});

const ALLOW: ApprovalReply = { answer: 'allow', scope: 'once', by: 'person' };
const ASK_ALL = [{ tool: '*', do: 'ask' }] as const;

/** Settings of a run that is suspended at its first event of a type. */
function suspendAt(type: string): NonNullable<RunOptions['settings']> {
  const process = new AbortController();
  return {
    signal: process.signal,
    observer: { event: (event) => event.type === type && process.abort(SUSPEND) },
  };
}

/** Asks nobody: waits until it is aborted, which it brings about itself. */
function suspendWhenAsked(asked: ApprovalQuestion[]): NonNullable<RunOptions['settings']> {
  const process = new AbortController();
  const ask = (question: ApprovalQuestion, aborted: AbortSignal) =>
    new Promise<never>((_, reject) => {
      asked.push(question);
      aborted.addEventListener('abort', () => reject(new Error('nobody came')));
      process.abort(SUSPEND);
    });
  return { signal: process.signal, rules: ASK_ALL, ask };
}

function answerWith(asked: ApprovalQuestion[]): NonNullable<RunOptions['settings']> {
  const ask = async (question: ApprovalQuestion) => {
    asked.push(question);
    return ALLOW;
  };
  return { rules: ASK_ALL, ask };
}

const PROGRAM = { kind: 'tool', exec: { command: 'test $RAMET_ATTEMPT -gt 1 || sleep 600; echo 1' } } as const;
const AGENT = { kind: 'agent', tools: ['shell'] } as const;

describe('a run that is suspended', () => {
  test('stops what is at work, and goes on with it', async () => {
    const stopped = await harness.start({ nodes: { work: PROGRAM } }, { settings: suspendAt('tool.intent') });
    expect(stopped.status).toBe('interrupted');
    expect(harness.story(stopped.run).slice(-1)).toEqual(['node.exit work interrupted']);
    expect(await harness.resume(stopped.run)).toMatchObject({ status: 'completed', output: 1 });
  });

  test('goes on with the conversation of an agent, the call that had not begun included', async () => {
    const model = harness.writeNodeScript({ work: [callShell('echo x >> x'), { text: 'done' }] });
    for (const type of ['model.request', 'model.response', 'tool.result']) {
      const settings = { model, ...suspendAt(type) };
      const stopped = await harness.start({ nodes: { work: AGENT } }, { settings });
      expect(stopped.status).toBe('interrupted');
      expect(await harness.resume(stopped.run)).toMatchObject({ status: 'completed', output: 'done' });
      expect(harness.eventsOfType(stopped.run, 'message')).toHaveLength(1);
      expect(harness.eventsOfType(stopped.run, 'tool.result')).toMatchObject([{ outcome: 'ok' }]);
      expect(harness.logOf(stopped.run).toString()).not.toContain('person interrupted');
    }
  });

  test('while an agent asks is parked, and asks again with the same call', async () => {
    const asked: ApprovalQuestion[] = [];
    const script = { work: [callShell('echo x >> x'), { text: 'done' }] };
    const model = harness.writeNodeScript(script);
    const settings = { ...suspendWhenAsked(asked), model };
    const parked = await harness.start({ nodes: { work: AGENT } }, { settings });
    const [request] = harness.eventsOfType(parked.run, 'approval.request');
    expect(parked).toMatchObject({
      status: 'parked',
      parked: { calls: [{ node: 'work', reason: 'approval_pending', offset: request?.seq }] },
    });
    expect(harness.eventsOfType(parked.run, 'tool.result')).toEqual([]);
    const result = await harness.resume(parked.run, { settings: answerWith(asked) });
    expect(result).toMatchObject({ status: 'completed', output: 'done' });
    expect(asked.map(({ callId }) => callId)).toEqual([request?.callId, request?.callId]);
    expect(harness.eventsOfType(parked.run, 'tool.result')).toMatchObject([{ outcome: 'ok' }]);
  });

  test('while a tool node asks is parked, and asks again with the same call', async () => {
    const asked: ApprovalQuestion[] = [];
    const nodes = { work: { kind: 'tool', exec: { command: 'echo 1' } } } as const;
    const parked = await harness.start({ nodes }, { settings: suspendWhenAsked(asked) });
    const [request] = harness.eventsOfType(parked.run, 'approval.request');
    expect(parked).toMatchObject({
      status: 'parked',
      parked: { calls: [{ node: 'work', reason: 'approval_pending', offset: request?.seq }] },
    });
    expect(harness.story(parked.run).filter((line) => line.startsWith('node.exit'))).toEqual([]);
    const result = await harness.resume(parked.run, { settings: answerWith(asked) });
    expect(result).toMatchObject({ status: 'completed', output: 1 });
    expect(asked.map(({ callId }) => callId)).toEqual([request?.callId, request?.callId]);
  });

  test('has each question in its log before that is put to a person', async () => {
    const seen: number[] = [];
    const nodes = { agent: AGENT, tool: { kind: 'tool', exec: { command: 'echo 1' } } } as const;
    const model = harness.writeNodeScript({ agent: [callShell('true'), { text: 'done' }] });
    const ask = async ({ node, callId }: ApprovalQuestion & { readonly node: string }) => {
      const [run] = harness.store.listRuns();
      const requests = run === undefined ? [] : harness.eventsOfType(run, 'approval.request');
      seen.push(requests.filter((request) => request.node === node && request.callId === callId).length);
      return ALLOW;
    };
    const result = await harness.start({ nodes }, { settings: { model, rules: ASK_ALL, ask } });
    expect(result.status).toBe('completed');
    expect(seen).toEqual([1, 1]);
  });
});
