/** Graph runs under the daemon: begun, answered while other nodes work, forked, suspended and taken up. */
import type { RunId } from '@ramet/core';
import { callShell, makeFunction } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import { accepted, codeOf, type DaemonHarness, openDaemonHarness } from './harness.ts';

const GATE = { kind: 'gate', question: 'go on?', answer: { type: 'boolean' } } as const;
const ECHO = { kind: 'tool', exec: { command: 'echo 1' } } as const;
const ASK_HOLD = [{ tool: 'hold', do: 'ask' as const }];

/** A daemon whose runs have a function `hold` that answers when it is let go, and counts how often it is called. */
function openWithHold() {
  const { promise, resolve: letGo } = Promise.withResolvers<void>();
  const calls: string[] = [];
  const hold = makeFunction('hold', async (_input, key) => {
    calls.push(key);
    await promise;
    return 'held';
  });
  const d = openDaemonHarness({}, { functions: [hold] });
  return { d, calls, letGo };
}

const HOLD = { kind: 'tool', tool: 'hold', input: {} } as const;

async function start({ daemon, h }: DaemonHarness, nodes: object, more: object = {}): Promise<RunId> {
  const body = { graph: { schema: 1, nodes, edges: [], ...more }, cwd: h.repository };
  return accepted(await daemon.createRun({ body })).run as RunId;
}

function isHeld({ h }: DaemonHarness, id: string): boolean {
  return h.eventsOfType(id as RunId, 'tool.intent').some(({ tool }) => tool === 'hold');
}

function stateOf({ h }: DaemonHarness, id: RunId): string {
  return h.story(id).at(-1) ?? '';
}

describe('a graph run of the daemon', () => {
  it('is answered when it is there, and is driven to its end', async () => {
    const d = openDaemonHarness();
    const body = { graph: { schema: 1, nodes: { work: ECHO } }, cwd: d.h.repository, title: 'one', labels: { a: 'b' } };
    const started = accepted(await d.daemon.createRun({ body }));
    expect(started.status).toBe('running');
    await d.untilIdle(started.run);
    expect(stateOf(d, started.run as RunId)).toBe('run.complete');
    expect(codeOf(await d.daemon.resumeRun(started.run as RunId, {}))).toBe('run_ended');
  });

  it('is refused before anything of it is there', async () => {
    const d = openDaemonHarness();
    const cwd = d.h.repository;
    expect(codeOf(await d.daemon.createRun({ body: { graph: { schema: 1, nodes: {} }, cwd } }))).toBe('bad_graph');
    expect(codeOf(await d.daemon.createRun({ body: { graph: 'a'.repeat(64), cwd } }))).toBe('bad_graph');
    expect(codeOf(await d.daemon.createRun({ body: { graph: 'nonsense', cwd } }))).toBe('bad_graph');
    expect(d.h.store.listRuns()).toEqual([]);
  });

  it('is made once by a key, whatever it has come to', async () => {
    const { d, calls, letGo } = openWithHold();
    const request = { body: { graph: { schema: 1, nodes: { work: HOLD } }, cwd: d.h.repository }, key: 'k' };
    const [one, two] = await Promise.all([d.daemon.createRun(request), d.daemon.createRun(request)]);
    const { run } = accepted(one);
    expect(accepted(two).run).toBe(run);
    await d.until(() => isHeld(d, run));
    letGo();
    await d.untilIdle(run);
    expect(await d.daemon.createRun(request)).toEqual({ run, status: 'completed' });
    expect(calls).toHaveLength(1);
  });
});

describe('a gate of a run of the daemon', () => {
  it('is answered while another node works, which goes on undisturbed', async () => {
    const { d, calls, letGo } = openWithHold();
    const nodes = { asked: GATE, work: HOLD, after: { kind: 'tool', exec: { command: 'echo 2' } } };
    const id = await start(d, nodes, { edges: [{ from: 'asked', to: 'after' }] });
    await d.until(() => isHeld(d, id) && d.h.eventsOfType(id, 'gate.open').length > 0);
    expect(codeOf(await d.daemon.answerGate(id, { gate: 'asked', answer: 'no boolean' }))).toBe('bad_input');
    const answers = await Promise.all([true, true, false].map((answer) => d.daemon.answerGate(id, { answer })));
    expect(answers.slice(0, 2)).toEqual(
      Array(2).fill({ run: id, node: 'asked', gate: expect.any(Number), started: true }),
    );
    expect(codeOf(answers[2])).toBe('gate_answered');
    await d.until(() => d.h.story(id).includes('node.exit after ok'));
    expect(calls).toHaveLength(1);
    letGo();
    await d.untilIdle(id);
    expect(stateOf(d, id)).toBe('run.complete');
    expect(d.h.eventsOfType(id, 'gate.answer')).toHaveLength(1);
  });

  it('is answered while nobody is at work, and the run goes on unless told otherwise', async () => {
    const d = openDaemonHarness();
    const id = await start(d, { one: GATE, two: GATE });
    await d.untilIdle(id);
    expect(codeOf(await d.daemon.answerGate(id, { answer: true }))).toBe('ambiguous_gate');
    const first = await d.daemon.answerGate(id, { gate: 'two', answer: true, start: false });
    expect(first).toMatchObject({ node: 'two', started: false });
    expect(await d.daemon.answerGate(id, { answer: true })).toMatchObject({ node: 'one', started: true });
    await d.untilIdle(id);
    expect(stateOf(d, id)).toBe('run.complete');
  });

  it('is acted on at whatever moment it is given', async () => {
    const d = openDaemonHarness();
    const gates = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`gate${index}`, GATE]));
    const id = await start(d, gates);
    await d.until(() => d.h.eventsOfType(id, 'gate.open').length === 12);
    const answered = await Promise.all(
      Object.keys(gates).map((gate) => d.daemon.answerGate(id, { gate, answer: true })),
    );
    expect(answered.map(codeOf)).toEqual(Array(12).fill(null));
    await d.until(() => stateOf(d, id) === 'run.complete');
    expect(d.h.eventsOfType(id, 'gate.answer')).toHaveLength(12);
  });
});

describe('what nodes of a run of the daemon ask', () => {
  it('names the node, and is answered for it alone', async () => {
    const { d, letGo } = openWithHold();
    letGo();
    const body = { graph: { schema: 1, nodes: { left: HOLD, right: HOLD } }, cwd: d.h.repository, rules: ASK_HOLD };
    const asked = accepted(await d.daemon.createRun({ body })).run as RunId;
    await d.until(() => d.daemon.liveOf(asked).asks.length === 2);
    for (const { callId, node } of d.daemon.liveOf(asked).asks) {
      expect(node).toMatch(/left|right/);
      expect(
        d.daemon.answerAsk(asked, callId, { answer: 'allow', ...(node === undefined ? {} : { node }) }),
      ).toBeNull();
    }
    await d.untilIdle(asked);
    expect(stateOf(d, asked)).toBe('run.complete');
  });
});

describe('a fork of a run of the daemon', () => {
  it('is driven where it is meant to be, and stays idle where not', async () => {
    const d = openDaemonHarness();
    const id = await start(d, { work: ECHO });
    await d.untilIdle(id);
    const idle = accepted(await d.daemon.forkRun(id, { fromNode: 'work' }, null));
    expect(d.h.story(idle.run as RunId)).not.toContain('run.complete');
    const driven = accepted(await d.daemon.forkRun(id, { fromNode: 'work' }, {}));
    await d.untilIdle(driven.run ?? '');
    expect(stateOf(d, driven.run as RunId)).toBe('run.complete');
  });
});

describe('a run whose daemon closes', () => {
  it('is gone on with by the next one, and what was done is not done again', async () => {
    const d = openDaemonHarness();
    const script = { agent: [callShell('echo once >> marks; sleep 600'), { text: 'done' }] };
    const nodes = { before: { kind: 'tool', exec: { command: 'echo 1' } }, agent: { kind: 'agent', tools: ['shell'] } };
    const body = {
      graph: { schema: 1, nodes, edges: [{ from: 'before', to: 'agent' }] },
      cwd: d.h.repository,
      model: d.h.writeNodeScript(script),
      rules: [{ tool: 'shell', do: 'allow' as const }],
    };
    const id = accepted(await d.daemon.createRun({ body })).run as RunId;
    await d.until(() => d.h.eventsOfType(id, 'tool.intent').some(({ tool }) => tool === 'shell'));
    const again = await d.restart();
    await again.daemon.takeUp();
    await again.untilIdle(id);
    expect(stateOf(again, id)).toBe('run.complete');
    expect(d.h.eventsOfType(id, 'tool.intent').map(({ tool }) => tool)).toEqual(['exec', 'shell']);
  });

  it('that only waits for a person stays as it is', async () => {
    const d = openDaemonHarness();
    const id = await start(d, { asked: GATE });
    await d.untilIdle(id);
    const events = d.h.eventsOf(id).length;
    const again = await d.restart();
    await again.daemon.takeUp();
    expect(d.h.eventsOf(id)).toHaveLength(events);
    expect(again.reports).toEqual([]);
  });
});
