/** B64 and B70: a process killed at any moment; finished nodes stay finished, and the outside is asked once. */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GraphDocument, LoggedEvent } from '@ramet/core';
import type { RunResult } from '@ramet/runtime/graph';
import { resolveCall } from '@ramet/runtime/runs';
import { cel, type GraphHarness, makeGraphHarness } from '@ramet/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startWorker } from './run-processes.ts';
import { makeRandom, ROUNDS } from './session-processes.ts';

/** The outside: it counts what it took, and answers as it is told. */
interface Outside {
  readonly port: number;
  readonly keys: string[];
  onTaken: () => Promise<void> | void;
  close(): Promise<void>;
}

async function startOutside(): Promise<Outside> {
  const keys: string[] = [];
  const outside: Pick<Outside, 'onTaken'> = { onTaken: () => {} };
  const server: Server = createServer(async (request, response) => {
    keys.push((request.url ?? '').slice(1));
    await outside.onTaken();
    response.end('1');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(outside, {
    port: (server.address() as AddressInfo).port,
    keys,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

/** A program on the host that sends its key to the outside. */
function post(outside: Outside): readonly string[] {
  const request = 'GET /$RAMET_IDEMPOTENCY_KEY HTTP/1.0\\r\\n\\r\\n';
  return ['bash', '-c', `exec 3<>/dev/tcp/127.0.0.1/${outside.port}; printf "${request}" >&3; cat <&3 >/dev/null`];
}

describe('B64: a restart runs finished nodes again', { timeout: 3_600_000 }, () => {
  let h: GraphHarness;
  const random = makeRandom();
  beforeAll(() => {
    h = makeGraphHarness();
  });
  afterAll(() => h.remove());

  /** Each node notes on the host that it ran, at which attempt. */
  function count(name: string) {
    const line = 'echo "$RAMET_NODE $RAMET_ATTEMPT" >> "$NOTES"; echo 1';
    return {
      kind: 'tool',
      exec: { command: ['sh', '-c', `NOTES='${join(h.area.folder, name)}'; ${line}`], sandbox: false },
      effect: 'idempotent',
    } as const;
  }

  function makeDocument(notes: string): GraphDocument {
    const node = count(notes);
    const flaky = {
      ...node,
      retry: { attempts: 3 },
      exec: { ...node.exec, command: ['sh', '-c', `${node.exec.command[2]}; test "$(grep -c flaky "$NOTES")" -ge 3`] },
    };
    return {
      schema: 1,
      nodes: {
        a: node,
        b: node,
        way: { kind: 'branch', cases: [{ when: 'input == "left"', take: 'left' }], otherwise: 'right' },
        skipped: node,
        flaky,
        map: {
          kind: 'map',
          over: '[1, 2]',
          concurrency: 2,
          body: { nodes: { inner: { kind: 'map', over: '[1, 2]', body: { nodes: { item: node } } } } },
        },
        last: node,
      },
      edges: [
        { from: 'a', to: 'b' },
        { from: 'b', to: 'way' },
        { from: 'way', to: 'skipped', on: 'left' },
        { from: 'way', to: 'flaky', on: 'right' },
        { from: 'flaky', to: 'map' },
        { from: 'map', to: 'last' },
      ],
      output: { map: cel('nodes.map.output') },
    };
  }

  it('killed at random moments, counts each finished node once and says which attempts there were', async () => {
    let kills = 0;
    let wholeMs = 0;
    for (let round = 0; round <= ROUNDS; round += 1) {
      const notes = `notes-${round}`;
      const began = performance.now();
      const worker = startWorker(h, { document: makeDocument(notes), input: 'right' });
      const id = await worker.run;
      const readyMs = performance.now() - began;
      if (round > 0) {
        await Promise.race([sleep(random() * wholeMs), worker.ended]);
        worker.kill();
      }
      const end = await worker.ended;
      if (round === 0) wholeMs = performance.now() - began - readyMs;
      kills += end.killed ? 1 : 0;
      expect(h.problems(), `round ${round}`).toEqual([]);
      const last = h.eventsOf(id).at(-1)?.type;
      if (last !== 'run.complete')
        expect(await h.resume(id)).toMatchObject({
          status: 'completed',
          output: {
            map: [
              [1, 1],
              [1, 1],
            ],
          },
        });
      judge(h.eventsOf(id), readFileSync(join(h.area.folder, notes), 'utf8').trim().split('\n'));
    }
    expect(kills).toBeGreaterThan(0);
  });

  function judge(events: readonly LoggedEvent[], notes: readonly string[]): void {
    const exits = events
      .filter(({ type, outcome }) => type === 'node.exit' && outcome === 'ok')
      .map(({ node }) => node);
    expect(new Set(exits).size).toBe(exits.length);
    expect(events.filter(({ type }) => type === 'node.skip')).toMatchObject([
      { node: 'skipped', reason: "'way' took 'right'" },
    ]);
    // A crash repeats at most what was at work, under the next attempt.
    expect(new Set(notes).size).toBe(notes.length);
    const finished = notes.filter((note) => !note.startsWith('flaky'));
    const perNode = Map.groupBy(finished, (note) => note.split(' ')[0]);
    for (const [node, runs] of perNode) {
      const attempts = events.filter((event) => event.type === 'node.enter' && event.node === node).length;
      expect(runs.length, `${node}`).toBeLessThanOrEqual(attempts);
      expect(attempts).toBeLessThanOrEqual(2);
    }
  }
});

describe('B70: a crash between the outside write and its record', { timeout: 120_000 }, () => {
  let h: GraphHarness;
  let outside: Outside;
  beforeEach(async () => {
    h = makeGraphHarness();
    outside = await startOutside();
  });
  afterEach(async () => {
    await outside.close();
    h.remove();
  });

  it('has the intent on the disk before the outside sees anything, and asks what happened', async () => {
    const document: GraphDocument = {
      schema: 1,
      nodes: { w: { kind: 'tool', exec: { command: post(outside), sandbox: false } } },
    };
    const worker = startWorker(h, { document });
    const id = await worker.run;
    let onDisk: readonly string[] = [];
    const taken = new Promise<void>((resolve) => {
      outside.onTaken = () => {
        onDisk = h.eventsOfType(id, 'tool.intent').map(({ key }) => key);
        resolve();
        // No answer: the process dies before there is one.
        return new Promise<void>(() => {});
      };
    });
    await taken;
    worker.kill();
    await worker.ended;
    expect(onDisk).toEqual(outside.keys);
    const parked = await h.resume(id);
    expect(parked).toMatchObject({ status: 'parked', parked: { calls: [{ node: 'w', reason: 'outcome_unknown' }] } });
    const again = await h.resume(id);
    expect(again.status).toBe('parked');
    expect(outside.keys).toHaveLength(1);
    outside.onTaken = () => {};
    const offset = parked.parked?.calls[0]?.offset ?? 0;
    expect(await resolveCall(h.store, { id, offset, resolution: 'retry' })).toMatchObject({ node: 'w', tool: 'exec' });
    expect(await h.resume(id)).toMatchObject({ status: 'completed' });
    expect(outside.keys).toEqual([onDisk[0], onDisk[0]]);
    expect(h.eventsOfType(id, 'tool.intent').map(({ attempt }) => attempt)).toEqual([undefined, 2]);
    expect(h.problems()).toEqual([]);
  });

  it.each([
    ['happened', { resolution: 'happened', output: { type: 'json', value: { sent: 1 } } }, 1, { sent: 1 }],
    ['did not happen', { resolution: 'did_not_happen' }, 2, null],
  ] as const)('goes on when a person says that it %s', async (_, word, sent, output) => {
    const document: GraphDocument = {
      schema: 1,
      nodes: { w: { kind: 'tool', exec: { command: post(outside), sandbox: false } } },
    };
    const worker = startWorker(h, { document });
    const id = await worker.run;
    await new Promise<void>((resolve) => {
      outside.onTaken = () => {
        resolve();
        return new Promise<void>(() => {});
      };
    });
    worker.kill();
    await worker.ended;
    outside.onTaken = () => {};
    const { parked } = await h.resume(id);
    await resolveCall(h.store, { id, offset: parked?.calls[0]?.offset ?? 0, ...word });
    const result: RunResult = await h.resume(id);
    expect(result).toMatchObject({ status: 'completed', output });
    expect(outside.keys).toHaveLength(sent);
    expect(h.problems()).toEqual([]);
  });

  it('that was stopped by its time limit waits for a person, and is not sent again by its retry', async () => {
    outside.onTaken = () => new Promise<void>(() => {});
    const w = {
      kind: 'tool',
      exec: { command: post(outside), sandbox: false },
      timeoutMs: 500,
      retry: { attempts: 3 },
    } as const;
    const parked = await h.start({ nodes: { w } });
    expect(parked).toMatchObject({ status: 'parked', parked: { calls: [{ node: 'w', reason: 'outcome_unknown' }] } });
    expect(outside.keys).toHaveLength(1);
  });
});
