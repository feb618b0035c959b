/** B70 at every event: a process that drives several writes at once is killed; each write is made once, or asked about. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GraphDocument, isRefusal, type RunId } from '@ramet/core';
import type { RunResult } from '@ramet/runtime/graph';
import { resolveCall } from '@ramet/runtime/runs';
import { callShell, cel, type GraphHarness, makeGraphHarness } from '@ramet/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorker, waitForPrograms } from './run-processes.ts';
import { makeRandom, ROUNDS } from './session-processes.ts';

const random = makeRandom();

/** All offsets, or as many as there are rounds. */
function choose(offsets: readonly number[]): readonly number[] {
  const left = [...offsets];
  return Array.from(
    { length: Math.min(ROUNDS, left.length) },
    () => left.splice(Math.floor(random() * left.length), 1)[0] ?? 0,
  );
}

const ITEMS = Array.from({ length: 12 }, (_, index) => index);

describe('a run that writes in several nodes at once, killed as an event is recorded', { timeout: 3_600_000 }, () => {
  let h: GraphHarness;
  let model: string;
  let sink: string;
  beforeAll(() => {
    h = makeGraphHarness();
    model = h.writeNodeScript({ agent: [callShell('echo made > made; cat made'), { text: 'done' }] });
  });
  afterAll(() => h.remove());

  /** A program on the host that writes where no checkpoint reaches. */
  const write = () => ({
    kind: 'tool' as const,
    exec: { command: ['sh', '-c', `echo "$RAMET_NODE" >> '${sink}'; echo 1`], sandbox: false },
  });

  function makeDocument(): GraphDocument {
    return {
      schema: 1,
      nodes: {
        map: { kind: 'map', over: 'input', concurrency: 4, body: { nodes: { item: write() } } },
        gate: { kind: 'gate', question: 'Go on?' },
        fold: { kind: 'fold', initial: 0, until: 'pass >= 3', maxPasses: 5, body: { nodes: { pass: write() } } },
        agent: { kind: 'agent', prompt: 'Go', tools: ['shell'] },
        last: { ...write(), input: [cel('nodes.fold.output'), cel('nodes.agent.output'), cel('nodes.map.output')] },
      },
      edges: [
        { from: 'map', to: 'last' },
        { from: 'gate', to: 'fold' },
        { from: 'fold', to: 'last' },
        { from: 'agent', to: 'last' },
      ],
    };
  }

  const EXPECTED = [
    ...ITEMS.map((index) => `map[${index}]/item`),
    ...[1, 2, 3].map((pass) => `fold#${pass}/pass`),
    'last',
  ].sort();

  /** What reached the outside, in order of node. */
  const seen = (): readonly string[] =>
    existsSync(sink) ? readFileSync(sink, 'utf8').trim().split('\n').filter(Boolean).sort() : [];

  /** Drives a run in processes that die at an event, until one parks, ends, or is killed. */
  async function begin(dieAt: number): Promise<{ readonly id: RunId; readonly killed: boolean }> {
    const first = startWorker(h, { document: makeDocument(), input: ITEMS, model, dieAt });
    const id = await first.run;
    const { killed } = await first.ended;
    if (killed) return { id, killed };
    await h.answer(id, 'gate', true);
    return { id, killed: (await startWorker(h, { id, model, dieAt }).ended).killed };
  }

  /** Says of each call what the outside knows, until the run has ended. */
  async function goOn(id: RunId): Promise<RunResult> {
    for (;;) {
      const result = await h.resume(id);
      if (result.status !== 'parked') return result;
      for (const { offset, node, reason } of result.parked?.calls ?? []) {
        expect(reason).toBe('outcome_unknown');
        const happened = seen().includes(node);
        const output = { type: 'json', value: 1 } as const;
        const word = happened
          ? ({ resolution: 'happened', output } as const)
          : ({ resolution: 'did_not_happen' } as const);
        expect(isRefusal(await resolveCall(h.store, { id, offset, ...word }))).toBe(false);
      }
      for (const { node } of result.parked?.gates ?? []) await h.answer(id, node, true);
    }
  }

  it('comes to the same output, and each line reaches the outside once', async () => {
    sink = join(h.area.folder, 'whole');
    const whole = await begin(-1);
    const events = h.eventsOf(whole.id);
    expect(events.at(-1)).toMatchObject({ type: 'run.complete', output: 1 });
    expect(seen()).toEqual(EXPECTED);
    // The first write comes after the same events in every run: killed there, nobody knows its outcome.
    const [write] = h.eventsOfType(whole.id, 'tool.intent');
    const tried = [write?.seq ?? 0, ...choose(events.map(({ seq }) => seq).slice(2))];
    let unknown = 0;
    for (const [round, dieAt] of tried.entries()) {
      sink = join(h.area.folder, `round-${round}`);
      const { id, killed } = await begin(dieAt);
      await waitForPrograms(id);
      expect(h.problems(), `killed at ${dieAt}`).toEqual([]);
      const before = h.eventsOfType(id, 'tool.resolve').length;
      if (killed && h.eventsOf(id).at(-1)?.type !== 'run.complete')
        expect(await goOn(id), `killed at ${dieAt}`).toMatchObject({ status: 'completed', output: 1 });
      unknown += h.eventsOfType(id, 'tool.resolve').length - before;
      expect(seen(), `killed at ${dieAt}`).toEqual(EXPECTED);
      expect(h.problems(), `killed at ${dieAt}`).toEqual([]);
    }
    expect(unknown).toBeGreaterThan(0);
  });
});
