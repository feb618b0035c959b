/**
 * Every prefix of a scripted graph run resumes to the same output: what left the workspace leaves once, unless a person
 * says that it did not.
 */
import { join } from 'node:path';
import { type GraphDocument, isRefusal, type LoggedEvent, type RunId, type ToolOutput } from '@ramet/core';
import { answerGate, type RunResult, resumeRun, startRun } from '@ramet/runtime/graph';
import { resolveCall } from '@ramet/runtime/runs';
import {
  accept,
  askSink,
  callShell,
  callTool,
  cel,
  cutRunLog,
  type GraphHarness,
  makeFunction,
  makeGraphHarness,
  makeRunSettings,
  type Sink,
  startSink,
} from '@ramet/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const DEATH = new Error('the process dies here');
const echo = makeFunction('echo', (input) => input);

/** One node of each kind, one after the other. */
function makeDocument(sink: Sink): GraphDocument {
  const same = { kind: 'tool', tool: 'echo' } as const;
  const ids = ['first', 'post', 'files', 'agent', 'choose', 'gate', 'map', 'fold', 'last'];
  return {
    schema: 1,
    nodes: {
      first: same,
      post: { kind: 'tool', exec: { command: ['bash', '-c', askSink(sink, 'post')], sandbox: false } },
      files: { kind: 'tool', exec: { command: 'echo made > made; wc -l < made' } },
      agent: { kind: 'agent', prompt: 'Go', tools: ['write_file', 'shell'] },
      choose: { kind: 'branch', choices: { on: 'go on', off: 'stop' }, ends: ['off'] },
      gate: { kind: 'gate', question: 'Go on?' },
      map: { kind: 'map', over: '[1, 2]', body: { nodes: { item: { ...same, input: cel('item * 2') } } } },
      fold: {
        kind: 'fold',
        initial: 1,
        until: 'output > 3',
        maxPasses: 5,
        body: { nodes: { pass: { ...same, input: cel('previous * 2') } } },
      },
      last: {
        ...same,
        input: { map: cel('nodes.map.output'), fold: cel('nodes.fold.output'), agent: cel('nodes.agent.output') },
      },
    },
    edges: ids.slice(1).map((to, index) => {
      const from = ids[index] ?? '';
      return from === 'choose' ? { from, to, on: 'on' } : { from, to };
    }),
  };
}

const OUTPUT = { map: [2, 4], fold: 4, agent: 'written' };

describe('a graph run cut at every event', { timeout: 600_000 }, () => {
  let h: GraphHarness;
  let sink: Sink;
  let model: string;
  beforeAll(async () => {
    h = makeGraphHarness();
    sink = await startSink();
    model = h.writeNodeScript({
      agent: [callTool('write_file', { path: 'a', content: 'a' }), callShell('cat a'), { text: 'written' }],
      choose: [{ text: 'on' }],
    });
  });
  afterAll(async () => {
    await sink.close();
    h.remove();
  });

  /** Begins a run that dies when event `at` is recorded; answers its id, and its result when it lived. */
  async function begin(at: number): Promise<{ readonly id: RunId; readonly result?: RunResult }> {
    let id = '' as RunId;
    const observer = {
      run: (run: RunId) => {
        id = run;
      },
      event: ({ seq }: LoggedEvent) => {
        if (seq === at) throw DEATH;
      },
    };
    const settings = makeRunSettings({ model, observer });
    const run = { document: makeDocument(sink), input: 'in', cwd: h.repository, allowDirty: false };
    const services = h.servicesOf([echo]);
    try {
      const parked = accept(await startRun(services, { run, settings }));
      if (parked.status === 'parked') accept(await answerGate(services, { id, answer: true, by: 'person' }));
      return { id, result: accept(await resumeRun(services, { id, settings })) };
    } catch (error) {
      if (error !== DEATH) throw error;
      return { id };
    }
  }

  /** Goes on to the end, and says of calls whose outcome nobody knows whether they happened. */
  async function goOn(id: RunId, happened: boolean): Promise<RunResult> {
    for (;;) {
      const result = await h.resume(id, { functions: [echo] });
      if (result.status !== 'parked') return result;
      for (const { offset, reason } of result.parked?.calls ?? []) {
        expect(reason).toBe('outcome_unknown');
        const output: ToolOutput = { type: 'json', value: null };
        const word = happened ? ({ resolution: 'happened', output } as const) : ({ resolution: 'retry' } as const);
        expect(isRefusal(await resolveCall(h.store, { id, offset, ...word }))).toBe(false);
      }
      for (const { node: gate } of result.parked?.gates ?? []) await h.answer(id, gate, true);
    }
  }

  it('comes to the same output, and asks the outside once', async () => {
    const whole = await begin(-1);
    expect(whole.result).toMatchObject({ status: 'completed', output: OUTPUT });
    expect(sink.seen).toEqual(['/post']);
    expect(h.problems()).toEqual([]);
    const events = h.eventsOf(whole.id);
    const kinds = new Set(events.map(({ type }) => type));
    for (const { seq, type, tool, node, contained } of events.slice(1)) {
      if (type === 'gate.answer') continue;
      const isWrite = type === 'tool.intent' && contained === false;
      for (const ran of isWrite ? [false, true] : [false]) {
        const where = `cut after ${type} ${String(node ?? '')} ${String(tool ?? '')} at ${seq}${ran ? ', the call had run' : ''}`;
        sink.clear();
        const { id, result } = await begin(ran ? seq + 1 : seq);
        // The workspace is recorded with the start, before anybody watches.
        if (seq > 1) expect(result, where).toBeUndefined();
        if (seq > 1) cutRunLog(join(h.store.pathsOf(id).folder, 'log'), seq + 1);
        const end = seq === 1 || h.eventsOf(id).at(-1)?.type === 'run.complete' ? null : await goOn(id, ran);
        if (end !== null) expect(end, where).toMatchObject({ status: 'completed', output: OUTPUT });
        expect(sink.seen, where).toEqual(['/post']);
        expect(h.problems(), where).toEqual([]);
        h.store.remove(id);
      }
    }
    for (const type of ['branch.take', 'map.item', 'fold.pass', 'gate.open', 'workspace.checkpoint', 'session.end']) {
      expect(kinds).toContain(type);
    }
  });
});
