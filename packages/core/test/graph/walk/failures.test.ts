import { build } from '@ramet/core';
import { describe, expect, it } from 'vitest';
import { cel } from '../document/documents.ts';
import { type Effect, makeGraph, Simulator } from './simulator.ts';

const { fold, gate, graph, map, tool } = build;
const t = tool('echo');
const boom = { code: 'node_failed', message: 'boom' };

/** Nodes of these ids fail, always; others put out their input. */
const failing =
  (...ids: readonly string[]): Effect =>
  ({ id, input }) =>
    ids.includes(id) ? { kind: 'failed', error: boom } : { kind: 'ok', output: input };

function exitsOf({ events }: Simulator, path: string): readonly unknown[] {
  return events.filter(({ type, node }) => type === 'node.exit' && node === path).map(({ outcome }) => outcome);
}

describe('a node that fails (W8)', () => {
  const policy = { attempts: 5, delayMs: 100, factor: 3, maxDelayMs: 500 };

  it('is tried again while its `retry` allows, each time later, and not before its time', () => {
    const simulator = Simulator.start(makeGraph({ nodes: { a: tool('echo', { retry: policy }) } }));
    const waits: number[] = [];
    for (;;) {
      const moves = simulator.settle();
      const [delayed] = moves.delayed;
      if (delayed !== undefined) {
        const at = Date.parse(delayed.retryAt);
        waits.push(at - simulator.nowMs);
        simulator.nowMs = at - 1;
        expect(simulator.settle().active).toEqual([]);
        simulator.nowMs = at;
      } else if (moves.active.length > 0) simulator.exit('a', { kind: 'failed', error: boom });
      else break;
    }
    expect(waits).toEqual([100, 300, 500, 500]);
    expect(simulator.state).toMatchObject({ status: 'failed', error: { code: 'node_failed', message: 'a: boom' } });
    expect(simulator.entries('a')).toBe(5);
  });

  it('is not tried again without `retry`, or when its failure is final', () => {
    for (const [retry, final] of [
      [undefined, false],
      [policy, true],
    ] as const) {
      const simulator = Simulator.start(
        makeGraph({ nodes: { a: tool('echo', retry === undefined ? {} : { retry }) } }),
      );
      simulator.run(() => ({ kind: 'failed', error: boom, final }));
      expect(simulator.story).toEqual(['graph.start', 'node.enter a', 'node.exit a', 'run.fail']);
    }
  });

  it('keeps its tries over crashes: only failures count', () => {
    const simulator = Simulator.start(makeGraph({ nodes: { a: tool('echo', { retry: { attempts: 2 } }) } }));
    for (let crash = 0; crash < 3; crash += 1) {
      simulator.settle();
      simulator.crash();
    }
    simulator.settle();
    simulator.exit('a', { kind: 'failed', error: boom });
    simulator.run();
    expect(simulator.state.status).toBe('completed');
    expect(simulator.state.nodes.get('a')?.attempt).toBe(5);
  });

  it('fails for good: others are told to stop, nothing new begins, then the run fails', () => {
    const document = graph({ nodes: { a: t, b: t, c: t, d: t, g: gate('?') }, edges: [['c', 'd']] });
    const simulator = Simulator.start(makeGraph(document));
    simulator.settle();
    simulator.exit('a', { kind: 'failed', error: boom });
    expect(simulator.settle()).toMatchObject({ stopping: ['b', 'c'], gates: [{ path: 'g' }] });
    simulator.exit('c');
    expect(simulator.settle().stopping).toEqual(['b']);
    expect(simulator.state.status).toBe('running');
    simulator.exit('b', { kind: 'interrupted' });
    expect(simulator.settle()).toMatchObject({ active: [], stopping: [] });
    expect(simulator.state).toMatchObject({ status: 'failed', error: { message: 'a: boom' } });
    expect(simulator.entries('d')).toBe(0);
    expect(simulator.moves().drafts).toEqual([]);
  });

  it('records as interrupted what a dead owner left at work in a run that fails', () => {
    const simulator = Simulator.start(makeGraph({ nodes: { a: t, b: t } }));
    simulator.settle();
    simulator.exit('a', { kind: 'failed', error: boom });
    simulator.crash();
    simulator.settle();
    expect(exitsOf(simulator, 'b')).toEqual(['interrupted']);
    expect(simulator.entries('b')).toBe(1);
    expect(simulator.state.status).toBe('failed');
  });

  it('is tried again when the run is resumed, with what was interrupted and with all its tries', () => {
    const document = graph({ nodes: { a: tool('echo', { retry: { attempts: 2 } }), b: t, c: t }, edges: [['c', 'a']] });
    const simulator = Simulator.start(makeGraph(document), 1);
    const stuck: Effect = ({ id, input }) =>
      id === 'b' ? null : id === 'a' ? { kind: 'failed', error: boom } : { kind: 'ok', output: input };
    simulator.run(stuck);
    expect(simulator.state).toMatchObject({ status: 'failed', failedAt: simulator.events.length - 1 });
    simulator.resume();
    simulator.run(stuck);
    expect(simulator.state.status).toBe('failed');
    expect([simulator.entries('a'), simulator.entries('b'), simulator.entries('c')]).toEqual([4, 2, 1]);
    expect(simulator.moves().drafts).toEqual([]);
    simulator.resume();
    simulator.run();
    expect(simulator.state).toMatchObject({ status: 'completed', output: { a: 1, b: 1 } });
    expect(simulator.state.error).toBeUndefined();
  });

  it('is never tried again in a run that completed or was abandoned', () => {
    const done = Simulator.start(makeGraph({ nodes: { a: t } }));
    done.run();
    const left = Simulator.start(makeGraph({ nodes: { a: t } }));
    left.settle();
    left.append([{ type: 'run.abandon' }]);
    for (const simulator of [done, left]) {
      simulator.resume();
      expect(simulator.moves()).toEqual({ drafts: [], active: [], stopping: [], delayed: [], gates: [], unknown: [] });
    }
  });

  it('enters again what a person interrupted, when the run goes on', () => {
    const simulator = Simulator.start(makeGraph({ nodes: { a: t } }), 3);
    simulator.settle();
    simulator.exit('a', { kind: 'interrupted' });
    simulator.crash();
    simulator.run();
    expect(simulator.state.output).toBe(3);
    expect(exitsOf(simulator, 'a')).toEqual(['interrupted', 'ok']);
  });

  it('was entered with null when its input has no value', () => {
    const simulator = Simulator.start(
      makeGraph({ nodes: { a: tool('echo', { input: cel('input.missing'), retry: policy }) } }),
      {},
    );
    simulator.run();
    expect(simulator.events.slice(1)).toMatchObject([
      { type: 'node.enter', node: 'a', attempt: 1, input: null },
      { type: 'node.exit', node: 'a', outcome: 'failed', error: { code: 'expression_failed' } },
      { type: 'run.fail', error: { code: 'expression_failed' } },
    ]);
  });
});

describe('a failure in a map', () => {
  const body = build.body({ nodes: { x: t, y: t } });

  it('fails the map and then the run; its other items are stopped, and a resumed run tries only what is missing', () => {
    const simulator = Simulator.start(
      makeGraph({ nodes: { m: map('input', body, { concurrency: 2 }) } }),
      [1, 2, 3, 4],
    );
    simulator.settle();
    for (const path of ['m[1]/x', 'm[1]/y', 'm[0]/x']) simulator.exit(path, { kind: 'ok', output: path });
    simulator.settle();
    simulator.exit('m[0]/y', { kind: 'failed', error: boom });
    const moves = simulator.settle();
    expect(moves.stopping).toEqual(['m[2]/x', 'm[2]/y']);
    simulator.stop(moves);
    simulator.settle();
    expect(simulator.state.error).toEqual({ code: 'node_failed', message: 'm[0]/y: boom' });
    expect(exitsOf(simulator, 'm')).toEqual(['failed']);
    simulator.resume();
    simulator.run(({ path }) => ({ kind: 'ok', output: path }));
    expect(simulator.state.output).toEqual([0, 1, 2, 3].map((item) => ({ x: `m[${item}]/x`, y: `m[${item}]/y` })));
    const entries = ['m', 'm[0]/x', 'm[0]/y', 'm[1]/x', 'm[2]/x', 'm[3]/x'].map((path) => simulator.entries(path));
    expect(entries).toEqual([2, 1, 2, 1, 2, 1]);
  });

  it('is tried again by the retry of the map, which goes on where its items stand', () => {
    const m = map('input', build.body({ nodes: { x: t } }), { retry: { attempts: 2, delayMs: 50 } });
    const simulator = Simulator.start(makeGraph({ nodes: { m } }), [1, 2, 3]);
    let failures = 0;
    simulator.run(({ path, input }) => {
      if (path !== 'm[1]/x' || failures > 0) return { kind: 'ok', output: input };
      failures += 1;
      return { kind: 'failed', error: boom };
    });
    expect(simulator.state.output).toEqual([1, 2, 3]);
    expect(['m', 'm[0]/x', 'm[1]/x', 'm[2]/x'].map((path) => simulator.entries(path))).toEqual([2, 1, 2, 1]);
  });

  it('lets nothing in the map go on before the time of its retry', () => {
    const m = map('input', build.body({ nodes: { x: t } }), { concurrency: 2, retry: { attempts: 2, delayMs: 50 } });
    const simulator = Simulator.start(makeGraph({ nodes: { m } }), [1, 2, 3]);
    simulator.settle();
    simulator.exit('m[0]/x', { kind: 'failed', error: boom });
    simulator.stop(simulator.settle());
    const until = new Date(simulator.nowMs + 50).toISOString();
    expect(simulator.settle()).toMatchObject({ active: [], delayed: [{ path: 'm', retryAt: until }] });
    simulator.nowMs += 50;
    expect(simulator.settle().active.map(({ path, attempt }) => [path, attempt])).toEqual([
      ['m[1]/x', 2],
      ['m[0]/x', 2],
    ]);
  });

  it('stands in the output where it is collected, named by its item; the others are not told', () => {
    const m = map('input', body, { concurrency: 3, onFailure: 'collect' });
    const simulator = Simulator.start(makeGraph({ nodes: { m } }), [1, 2, 3]);
    simulator.settle();
    simulator.exit('m[1]/x', { kind: 'failed', error: boom });
    const moves = simulator.settle();
    expect(moves.stopping).toEqual(['m[1]/y']);
    simulator.stop(moves);
    simulator.run();
    const error = { code: 'node_failed', message: 'm[1]/x: boom' };
    expect(simulator.state.output).toEqual([{ x: 1, y: 1 }, { error }, { x: 3, y: 3 }]);
    expect(simulator.state.status).toBe('completed');
  });

  it('may be that of every item', () => {
    const m = map('input', body, { concurrency: 2, onFailure: 'collect' });
    const simulator = Simulator.start(makeGraph({ nodes: { m } }), [1, 2, 3]);
    simulator.run(failing('x', 'y'));
    expect(simulator.state.output).toEqual(
      [0, 1, 2].map((item) => ({ error: { ...boom, message: `m[${item}]/x: boom` } })),
    );
  });

  it('is that of the item when what it puts out has no value', () => {
    const empty = build.body({ nodes: { x: t }, output: cel('nodes.x.output.missing') });
    const run = (onFailure: 'fail' | 'collect') => {
      const simulator = Simulator.start(makeGraph({ nodes: { m: map('input', empty, { onFailure }) } }), [
        { missing: 1 },
        {},
      ]);
      simulator.run();
      return simulator;
    };
    expect(run('collect').state.output).toMatchObject([1, { error: { code: 'expression_failed' } }]);
    const failed = run('fail');
    expect(failed.state.error?.code).toBe('expression_failed');
    expect(failed.state.error?.message).toMatch(/^m\[1\]: /);
    failed.resume();
    failed.run();
    expect(failed.state.status).toBe('failed');
  });

  it('goes up through what lies in it to the item that collects it', () => {
    const f = fold(build.body({ nodes: { deep: t, beside: t } }), { until: 'true', maxPasses: 3 });
    const m = map('input', build.body({ nodes: { f, next: t }, edges: [['f', 'next']] }), { onFailure: 'collect' });
    const simulator = Simulator.start(makeGraph({ nodes: { m, alone: t } }), [1]);
    simulator.settle();
    simulator.exit('m[0]/f#1/deep', { kind: 'failed', error: boom });
    const moves = simulator.settle();
    expect(moves.stopping).toEqual(['m[0]/f#1/beside']);
    simulator.stop(moves);
    simulator.run();
    expect(simulator.story.filter((line) => line.startsWith('node.exit') || line.startsWith('map.item'))).toEqual([
      'node.exit m[0]/f#1/deep',
      'node.exit m[0]/f#1/beside',
      'node.exit m[0]/f',
      'map.item m',
      'node.exit m',
      'node.exit alone',
    ]);
    expect(simulator.state.output).toMatchObject({ m: [{ error: { message: 'm[0]/f#1/deep: boom' } }] });
  });

  it('inside one that fails beside it ends both, and both are tried again', () => {
    const m = map('input', build.body({ nodes: { x: t } }));
    const simulator = Simulator.start(makeGraph({ nodes: { a: t, m } }), [1, 2]);
    simulator.settle();
    simulator.exit('a', { kind: 'failed', error: boom });
    simulator.exit('m[0]/x', { kind: 'failed', error: boom });
    simulator.settle();
    expect(simulator.state.error?.message).toBe('a: boom');
    simulator.resume();
    simulator.run();
    expect(simulator.state.output).toEqual({ a: [1, 2], m: [1, 2] });
  });
});
