import { isRefusal, NO_USAGE, refuse } from '@ramet/core';
import {
  describeDryRemoval,
  describeFork,
  describeLog,
  describeRemoval,
  describeRun,
  describeRunFork,
  describeUsage,
  describeVerification,
  describeVerifications,
  refuseGoingOn,
  refuseStart,
} from '@ramet/runtime/answers';
import { forkRun, forkSession } from '@ramet/runtime/fork';
import { listGraphRuns } from '@ramet/runtime/inspect/runs';
import { carryOutRemoval, planRemoval, verifyRun } from '@ramet/runtime/upkeep';
import { makeTestId } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import { makeRuns, say } from '../inspect/run-store.ts';
import { makeSessions, makeTurn } from '../upkeep/stores.ts';

function accept<T>(result: T): Exclude<T, { readonly kind: 'refusal' }> {
  if (isRefusal(result)) throw new Error(result.message);
  return result as Exclude<T, { readonly kind: 'refusal' }>;
}

describe('usage in answers', () => {
  it('has no cost where no price is known, and is not said to be free', () => {
    expect(describeUsage({ ...NO_USAGE, replies: 1, unknownCost: 1 })).not.toHaveProperty('cost');
  });

  it('sums money without the noise of binary fractions', () => {
    expect(describeUsage({ ...NO_USAGE, cost: { USD: 0.1 + 0.2 } }).cost).toEqual({ USD: 0.3 });
  });
});

describe('a graph run in answers', () => {
  it('has its document and its steps as one thing each, and what it waits for beside the rest', async () => {
    const runs = makeRuns();
    const id = await runs.start({ title: 'a try' });
    await runs.append(id, say.enter('a'), say.exit('a'), say.enter('g'), say.ask('g'));
    const [listed] = listGraphRuns(runs.store).map(describeRun);
    expect(listed).toMatchObject({
      id,
      title: 'a try',
      graph: { hash: runs.graph.hash, name: 'three steps' },
      steps: { own: 2, all: 2 },
      gates: [{ node: 'g', offset: 4 }],
      calls: [],
    });
    for (const field of ['waits', 'graphName', 'ownSteps']) expect(listed).not.toHaveProperty(field);
  });

  it('that was forked and did not start is told of with the refusal, as idle', async () => {
    const { store, graph, start, append } = makeRuns();
    const source = await start();
    await append(source, say.enter('a'), say.exit('a'), say.enter('g'), say.ask('g'));
    const context = { store, makeId: () => makeTestId(77), now: () => 0 };
    const made = describeRunFork(store, accept(await forkRun(context, source, { sourceGraph: graph, fromNode: 'g' })));
    const refusal = refuseStart(refuse('no_model', 'no model is named', { asked: true }), makeTestId(77), made);
    expect(refusal).toMatchObject({ code: 'no_model', data: { asked: true, run: makeTestId(77), status: 'idle' } });
    expect(refusal.data).toMatchObject({ boundary: { node: 'g', offset: 3 }, writes: [] });
    const planned = accept(await forkRun(context, source, { sourceGraph: graph, fromNode: 'g', dryRun: true }));
    expect(describeRunFork(store, planned)).toMatchObject({ run: null, dryRun: true, wouldProceed: true });
  });

  it('that did not go on after an answer is told of with the gate', () => {
    const answered = { run: makeTestId(1), node: 'g', gate: 4 };
    expect(refuseGoingOn(refuse('no_model', 'no model is named'), answered)).toMatchObject({
      code: 'no_model',
      message: 'the answer to g is recorded, and the run did not go on: no model is named',
      data: answered,
    });
  });

  it('that had ended is told of as answered so already', () => {
    const answered = { run: makeTestId(1), node: 'g', gate: 4 };
    expect(refuseGoingOn(refuse('run_ended', 'the run is completed'), answered)).toMatchObject({
      code: 'run_ended',
      message: 'gate g was answered so already: the run is completed',
      data: answered,
    });
  });
});

describe('a session in answers', () => {
  it('that is forked says that no files come back, and why', async () => {
    const { store, add } = makeSessions();
    const source = await add({ turns: [makeTurn(1)] });
    const context = { store, makeId: () => makeTestId(78) };
    const made = describeFork(store, source, accept(await forkSession(context, source, {})));
    expect(made).toMatchObject({ session: makeTestId(78), outstanding: [] });
    expect(made).not.toHaveProperty('dryRun');
    expect(made.workspace).toEqual({
      kind: 'none',
      restorable: false,
      reason: 'the session has no workspace',
      leftOut: [],
    });
    const planned = describeFork(store, source, accept(await forkSession(context, source, { dryRun: true })));
    expect(planned).toMatchObject({ session: null, dryRun: true, forkedFrom: made.forkedFrom });
  });

  it('of a damaged log is refused with the events before the damage', () => {
    const id = makeTestId(1);
    const damage = refuse('log_damaged', 'it is damaged', { id });
    expect(describeLog(id, [], null)).toEqual({ id, events: [] });
    expect(describeLog(id, [], damage)).toMatchObject({ code: 'log_damaged', data: { id, events: [] } });
  });
});

describe('a removal in answers', () => {
  it('is the plan, and what of it was done', async () => {
    const { store, add } = makeSessions();
    const id = await add({ turns: [makeTurn(1)] });
    const plan = accept(await planRemoval({ store, env: {} }, [id]));
    expect(describeDryRemoval(plan)).toEqual({ dryRun: true, ...plan, removed: [] });
    expect(store.listRuns()).toEqual([id]);
    const done = describeRemoval(plan, accept(await carryOutRemoval(store, plan)));
    expect(done).toEqual({ ...plan, removed: [id] });
    expect(store.listRuns()).toEqual([]);
  });

  it('that another process stopped names what was removed before that', async () => {
    const { store, add } = makeSessions();
    const [one, two] = [await add({ turns: [makeTurn(1)] }), await add({ turns: [makeTurn(1)] })];
    const plan = accept(await planRemoval({ store, env: {} }, [one, two]));
    const owned = accept(await store.own(two));
    const stopped = await carryOutRemoval(store, plan);
    owned.close();
    expect(stopped).toMatchObject({ code: 'owned_elsewhere', data: { removed: [one] } });
    expect(store.listRuns()).toEqual([two]);
  });
});

describe('a verification in answers', () => {
  it('has a code only where something does not hold', async () => {
    const { store, add } = makeSessions();
    const good = accept(await verifyRun(store, await add({ turns: [makeTurn(1)] })));
    expect(describeVerification(good)).toEqual({ ...good, ok: true });
    const problems = [{ kind: 'log', message: 'line 3 is not JSON' }] as const;
    const bad = { ...good, id: makeTestId(9), problems };
    const message = `${bad.id}: 1 problem found; nothing was changed`;
    expect(describeVerification(bad)).toEqual({ code: 'verification_failed', message, ...bad, ok: false });
    expect(describeVerifications([good, bad])).toMatchObject({
      code: 'verification_failed',
      message,
      ok: false,
      runs: [
        { id: good.id, ok: true },
        { id: bad.id, ok: false },
      ],
    });
    expect(describeVerifications([good])).not.toHaveProperty('code');
  });
});
