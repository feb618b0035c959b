import {
  build,
  describeRunStatus,
  type EventDraft,
  findOpenGates,
  findUnknownCalls,
  keyOfNodeCall,
  type NodePath,
} from '@ramet/core';
import { makeTestId, sha256 } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import { makeGraph, Simulator } from './simulator.ts';

const { agent, gate, map, tool } = build;
const t = tool('echo');

function intent(node: NodePath, said: Partial<EventDraft & { type: 'tool.intent' }> = {}): EventDraft {
  return {
    type: 'tool.intent',
    node,
    callId: 'call',
    tool: 'post',
    input: {},
    effect: 'write',
    contained: false,
    key: 'k',
    ...said,
  };
}

const result = (node: NodePath): EventDraft => ({
  type: 'tool.result',
  node,
  callId: 'call',
  tool: 'post',
  outcome: 'ok',
  output: { type: 'text', value: 'sent' },
});

function resolve(node: NodePath, resolution: 'happened' | 'did_not_happen' | 'retry'): EventDraft {
  return { type: 'tool.resolve', node, callId: 'call', intent: 2, resolution };
}

/** A run whose one node has begun a call when its owner dies. */
function crashed(kind: 'tool' | 'agent', ...drafts: readonly EventDraft[]): Simulator {
  const simulator = Simulator.start(makeGraph({ nodes: { w: kind === 'tool' ? t : agent({}) } }));
  simulator.settle();
  simulator.append(drafts);
  simulator.crash();
  return simulator;
}

describe('a call that a crash cut off (W20)', () => {
  const unknown = [{ path: 'w', offset: 2, callId: 'call', tool: 'post', key: 'k' }];

  it.each(['tool', 'agent'] as const)(
    'of a %s waits for a word when it is a write that may have reached the outside',
    (kind) => {
      const simulator = crashed(kind, intent('w'));
      expect(simulator.settle()).toEqual({ drafts: [], active: [], stopping: [], delayed: [], gates: [], unknown });
      expect(findUnknownCalls(simulator.state)).toEqual(unknown);
      expect(describeRunStatus(simulator.state)).toEqual({ kind: 'parked', gates: [], unknown });
    },
  );

  it('is at work, and not unknown, while its process drives it', () => {
    const simulator = Simulator.start(makeGraph({ nodes: { w: t } }));
    simulator.settle();
    simulator.append([intent('w')]);
    expect(simulator.settle()).toMatchObject({ active: [{ path: 'w' }], unknown: [] });
    expect(findUnknownCalls(simulator.state, simulator.taken)).toEqual([]);
  });

  it.each([
    ['read', { effect: 'read' }],
    ['idempotent', { effect: 'idempotent' }],
    ['contained', { contained: true }],
  ] as const)('that is %s goes on in a new attempt, which finds the call and its key', (_, said) => {
    const simulator = crashed('tool', intent('w', said));
    expect(simulator.settle()).toMatchObject({ active: [{ path: 'w', attempt: 2 }], unknown: [] });
    expect(simulator.state.nodes.get('w')?.call?.intent.key).toBe('k');
  });

  it('that has its result is not made again: the new attempt finds the result', () => {
    const simulator = crashed('tool', intent('w'), result('w'));
    expect(simulator.settle()).toMatchObject({ active: [{ path: 'w', attempt: 2 }], unknown: [] });
    expect(simulator.state.nodes.get('w')?.call?.result?.output).toEqual({ type: 'text', value: 'sent' });
  });

  it.each(['happened', 'did_not_happen', 'retry'] as const)(
    'goes on in a new attempt once a person says %s',
    (word) => {
      const simulator = crashed('tool', intent('w'));
      simulator.append([resolve('w', word)]);
      expect(simulator.settle()).toMatchObject({ active: [{ path: 'w', attempt: 2 }], unknown: [] });
      expect(simulator.state.nodes.get('w')?.call).toMatchObject({
        intent: { key: 'k' },
        resolution: { resolution: word },
      });
    },
  );

  it('is unknown again when a new attempt of it is cut off', () => {
    const simulator = crashed('tool', intent('w'));
    simulator.append([resolve('w', 'retry')]);
    simulator.settle();
    simulator.append([intent('w', { attempt: 2 })]);
    simulator.crash();
    expect(simulator.settle().unknown).toMatchObject([{ path: 'w', offset: 5 }]);
  });

  it('is forgotten with a recorded exit: a retry makes a call of its own', () => {
    const simulator = Simulator.start(makeGraph({ nodes: { w: tool('echo', { retry: { attempts: 2 } }) } }));
    simulator.settle();
    simulator.append([intent('w'), result('w')]);
    simulator.exit('w', { kind: 'failed', error: { code: 'node_failed', message: 'no' } });
    simulator.settle();
    expect(simulator.state.nodes.get('w')).toMatchObject({ attempt: 2, status: 'running' });
    expect(simulator.state.nodes.get('w')?.call).toBeUndefined();
  });

  it('keeps its item from being recorded as failed until a person has spoken', () => {
    const m = map('[1]', { nodes: { w: t, x: t } }, { onFailure: 'collect' });
    const simulator = Simulator.start(makeGraph({ nodes: { m } }));
    simulator.settle();
    simulator.append([intent('m[0]/w')]);
    simulator.exit('m[0]/x', { kind: 'failed', error: { code: 'node_failed', message: 'no' } });
    simulator.crash();
    expect(simulator.settle()).toMatchObject({ active: [], unknown: [{ path: 'm[0]/w' }] });
    expect(describeRunStatus(simulator.state).kind).toBe('parked');
    const [call] = findUnknownCalls(simulator.state);
    simulator.append([
      { type: 'tool.resolve', node: 'm[0]/w', callId: 'call', intent: call?.offset ?? 0, resolution: 'happened' },
    ]);
    expect(describeRunStatus(simulator.state).kind).toBe('running');
    simulator.settle();
    expect(simulator.state.output).toMatchObject([{ error: { message: 'm[0]/x: no' } }]);
  });
});

describe('keys of calls (W19)', () => {
  it('differ with the run, the path, the index and the input, and with nothing else', () => {
    const place = { run: makeTestId(1), path: 'm[1]/w', index: 0, input: sha256('a') };
    const others = [{ run: makeTestId(2) }, { path: 'm[2]/w' }, { index: 1 }, { input: sha256('b') }];
    const keys = [place, ...others.map((other) => ({ ...place, ...other }))].map((at) => keyOfNodeCall(at, sha256));
    expect(new Set(keys).size).toBe(5);
    expect(keyOfNodeCall({ ...place }, sha256)).toBe(keys[0]);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('how a run stands', () => {
  it('is told from its log', () => {
    const nodes = { g: gate('?'), a: tool('echo', { retry: { attempts: 2, delayMs: 1000 } }) };
    const simulator = Simulator.start(makeGraph({ nodes }));
    expect(describeRunStatus(simulator.state)).toEqual({ kind: 'running' });
    simulator.settle();
    expect(describeRunStatus(simulator.state)).toEqual({ kind: 'running' });
    simulator.exit('a', { kind: 'failed', error: { code: 'node_failed', message: 'no' } });
    const until = new Date(simulator.nowMs + 1000).toISOString();
    expect(describeRunStatus(simulator.state)).toEqual({ kind: 'delayed', until });
    simulator.run();
    const gates = findOpenGates(simulator.state);
    expect(gates).toMatchObject([{ path: 'g', question: '?' }]);
    expect(describeRunStatus(simulator.state)).toEqual({ kind: 'parked', gates, unknown: [] });
    simulator.answer('g', true);
    expect(describeRunStatus(simulator.state)).toEqual({ kind: 'running' });
    simulator.run();
    expect(describeRunStatus(simulator.state)).toEqual({ kind: 'completed' });
  });
});
