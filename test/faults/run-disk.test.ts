/** A full disk stops a graph run loudly; with room again it goes on, and what left the workspace leaves once. */
import { mkdirSync, rmSync } from 'node:fs';
import { Failure, type GraphDocument, type RunId } from '@ramet/core';
import { resolveCall } from '@ramet/runtime/runs';
import { accept, type GraphHarness, makeFunction, makeGraphHarness } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mountSmallDisk, needDisk, type SmallDisk } from './small-disk.ts';

let h: GraphHarness;
let disk: SmallDisk | null;
beforeEach(() => {
  h = makeGraphHarness();
  mkdirSync(h.home, { recursive: true, mode: 0o700 });
  disk = mountSmallDisk(h.home, '32m');
});
afterEach(() => {
  disk?.unmount();
  h.remove();
});

const program = (command: string, extra: object = {}) => ({ kind: 'tool' as const, exec: { command }, ...extra });
const make = 'head -c 100000 /dev/urandom > big; echo x >> count; wc -l < count';
const DOCUMENT: GraphDocument = {
  schema: 1,
  nodes: {
    first: program('echo 1'),
    fill: { kind: 'tool', tool: 'fill' },
    files: program(make),
    own: program(make, { workspace: 'own' }),
    post: { kind: 'tool', tool: 'post' },
  },
  edges: ['first', 'fill', 'files', 'own', 'post'].slice(1).map((to, index, all) => ({
    from: all[index - 1] ?? 'first',
    to,
  })),
};

describe('a graph run on a full disk', { timeout: 300_000 }, () => {
  it.for([0, 4, 8, 16, 40, 120, 400])(
    'with %i KiB left stops loudly or ends, and goes on later',
    async (left, context) => {
      const { fill } = needDisk(context, disk);
      let id = '' as RunId;
      let filler = '';
      let sent = 0;
      const observer = {
        run: (run: RunId) => {
          id = run;
        },
      };
      const post = makeFunction(
        'post',
        () => {
          sent += 1;
          return sent;
        },
        { effect: 'write', contained: () => false },
      );
      const filling = makeFunction('fill', () => {
        if (filler === '') filler = fill(left * 1024);
        return null;
      });
      const functions = [post, filling];
      const outcome = await h
        .tryStart(DOCUMENT, { functions, settings: { observer } })
        .catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(Failure);
      else expect(outcome).toMatchObject({ status: expect.stringMatching(/^(completed|failed)$/) });
      if (left === 0) expect(outcome).not.toMatchObject({ status: 'completed' });
      rmSync(filler);
      expect(h.problems()).toEqual([]);
      if (h.eventsOf(id).at(-1)?.type !== 'run.complete') await goOn(id, functions);
      expect(sent).toBe(1);
      expect(h.eventsOf(id).at(-1)).toMatchObject({ type: 'run.complete' });
      expect(h.problems()).toEqual([]);
    },
  );

  /** Says of the one write whose outcome may be unknown that it happened: no word is asked about any other. */
  async function goOn(id: RunId, functions: Parameters<GraphHarness['servicesOf']>[0] = []): Promise<void> {
    const result = await h.resume(id, { functions });
    if (result.status === 'completed') return;
    expect(result.parked?.calls).toMatchObject([{ node: 'post', reason: 'outcome_unknown' }]);
    const offset = result.parked?.calls[0]?.offset ?? 0;
    accept(await resolveCall(h.store, { id, offset, resolution: 'happened' }));
    expect(await h.resume(id, { functions })).toMatchObject({ status: 'completed' });
  }
});
