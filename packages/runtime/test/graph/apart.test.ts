import { isRefusal } from '@ramet/core';
import { type GraphHarness, makeFunction, makeGraphHarness } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let harness: GraphHarness;

beforeEach(() => {
  harness = makeGraphHarness();
});

afterEach(() => {
  harness.remove();
});

describe('a graph run', () => {
  const nodes = { ask: { kind: 'gate', question: 'Go?' } } as const;

  test('takes no turn of a session, whether it waits or has ended, and its log stays as it was', async () => {
    const { run } = await harness.start({ nodes });
    for (const status of ['parked', 'completed']) {
      const before = harness.logOf(run);
      const refused = await harness.run(run, [{ text: 'hello' }]);
      expect(refused).toMatchObject({ code: 'not_a_session', message: expect.stringContaining(`ramet resume ${run}`) });
      expect(harness.logOf(run)).toEqual(before);
      if (status === 'completed') continue;
      await harness.answer(run, 'ask', true);
      expect(await harness.resume(run)).toMatchObject({ status: 'completed' });
    }
  });

  test('is not forked as a session, and the refusal says how it is', async () => {
    const { run } = await harness.start({ nodes });
    const refused = await harness.tryFork(run, {});
    expect(isRefusal(refused) && refused).toMatchObject({
      code: 'not_a_session',
      message: expect.stringContaining(`ramet fork ${run} --from-node <node>`),
    });
  });
});

describe('a write that a forked run asks about', () => {
  test("is shown with its source's outcome", async () => {
    const post = makeFunction('post', () => null, { effect: 'write', contained: () => false });
    const first = { ask: { kind: 'tool', tool: 'post', input: 'a' } } as const;
    const { run } = await harness.start({ nodes: first }, { functions: [post] });
    const [intent] = harness.eventsOfType(run, 'tool.intent');
    const acknowledge = intent === undefined ? [] : [intent.seq];
    const child = await harness.forkAt(run, { fromNode: 'ask', acknowledge, input: 'b' }, [post]);
    await harness.resume(child, { functions: [post], settings: { onAsk: 'park' } });
    expect(harness.eventsOfType(child, 'approval.request')).toMatchObject([
      { outstanding: [{ offset: intent?.seq, input: 'a', outcome: 'ok' }] },
    ]);
  });
});
