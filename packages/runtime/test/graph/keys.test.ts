import { isRefusal, type Refusal } from '@ramet/core';
import { accept, type GraphHarness, makeFunction, makeGraphHarness, makeRunSettings } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRun, type MadeRun, type NewRun, resumeRun, startRun } from '../../src/graph/index.ts';

let harness: GraphHarness;

beforeEach(() => {
  harness = makeGraphHarness();
});

afterEach(() => {
  expect(harness.problems()).toEqual([]);
  harness.remove();
});

const DOCUMENT = { schema: 1, nodes: { add: { kind: 'tool', tool: 'add' } } } as const;

function requestOf(run: Partial<NewRun> = {}) {
  const base = { document: DOCUMENT, input: 1, cwd: harness.repository, allowDirty: false, idempotencyKey: 'once' };
  return { run: { ...base, ...run }, settings: makeRunSettings() };
}

function services() {
  return harness.servicesOf([makeFunction('add', (input) => Number(input) + 1)]);
}

function create(run: Partial<NewRun> = {}): Promise<MadeRun | Refusal> {
  return createRun(services(), requestOf(run));
}

describe('a run with an idempotency key', () => {
  test('is made once, and driven by whoever resumes it', async () => {
    const made = accept(await create());
    expect(made.repeated).toBe(false);
    expect(await create()).toEqual({ run: made.run, repeated: true });
    const driven = await resumeRun(services(), { id: made.run, settings: makeRunSettings() });
    expect(driven).toMatchObject({ status: 'completed', output: 2 });
    expect(await create()).toEqual({ run: made.run, repeated: true });
    expect(harness.store.listRuns()).toEqual([made.run]);
  });

  test('is gone on with when it is started again, and not once it has ended', async () => {
    const made = accept(await create());
    expect(await startRun(services(), requestOf())).toMatchObject({ run: made.run, status: 'completed' });
    expect(await startRun(services(), requestOf())).toMatchObject({ code: 'run_ended', data: { id: made.run } });
  });

  test('is refused with another document, input, place, title or labels', async () => {
    const made = accept(await create());
    const document = { ...DOCUMENT, name: 'other' };
    for (const other of [
      { document },
      { input: 2 },
      { workspace: 'none' },
      { title: 'x' },
      { labels: { a: 'b' } },
    ] as const) {
      expect(await create(other)).toMatchObject({ code: 'key_reused', data: { child: made.run } });
    }
  });

  test('is not made again once it was removed', async () => {
    const made = accept(await create());
    expect(await harness.store.remove(made.run)).toBeNull();
    expect(await create()).toMatchObject({ code: 'child_removed' });
    expect(harness.store.listRuns()).toEqual([]);
  });

  test('is made once by requests at the same time', async () => {
    const made = (await Promise.all([create(), create(), create()])).map(accept);
    expect(new Set(made.map(({ run }) => run)).size).toBe(1);
    expect(made.filter(({ repeated }) => !repeated)).toHaveLength(1);
  });

  test('shares nothing with a session or a fork of that key', async () => {
    const made = accept(await create());
    const session = await harness.run(null, [{ text: 'hi' }], { created: { idempotencyKey: 'once' } });
    if (isRefusal(session)) throw new Error(session.message);
    expect(session.session).not.toBe(made.run);
  });
});
