import { isRefusal, type RunId } from '@ramet/core';
import type { RunServices } from '@ramet/runtime/graph';
import { answerRunGate } from '@ramet/runtime/runs';
import { describe, expect, it } from 'vitest';
import { makeRuns, type Runs, say } from '../inspect/run-store.ts';

/** A run whose gate `g` opened at offset 5 and waits. */
async function startAtGate(runs: Runs): Promise<RunId> {
  const id = await runs.start();
  await runs.append(id, say.enter('a'), say.call('a', true), say.exit('a', 'found'), say.enter('g'), say.ask('g'));
  return id;
}

function servicesOf({ store }: Runs): RunServices {
  return {
    store,
    now: () => Date.UTC(2031, 0, 1),
    randomBytes: (count) => new Uint8Array(count),
    env: {},
    sleep: async () => {},
  };
}

describe('the answer to a gate', () => {
  it('may be said again without a name, where there is but one gate, and changes nothing', async () => {
    const runs = makeRuns();
    const id = await startAtGate(runs);
    const answer = () => answerRunGate(servicesOf(runs), { id, answer: true });
    expect(await answer()).toEqual({ node: 'g', gate: 5 });
    const events = [...(runs.store.read(id)?.readEvents() ?? [])];
    expect(await answer()).toEqual({ node: 'g', gate: 5 });
    expect([...(runs.store.read(id)?.readEvents() ?? [])]).toEqual(events);
  });

  it('is refused where it is another one, with what the first was', async () => {
    const runs = makeRuns();
    const id = await startAtGate(runs);
    await answerRunGate(servicesOf(runs), { id, answer: true });
    expect(await answerRunGate(servicesOf(runs), { id, gate: 'g', answer: false })).toMatchObject({
      code: 'gate_answered',
      message: 'gate g was answered already, with true; fork the run before it to answer otherwise',
      data: { node: 'g', gate: 5 },
    });
  });

  it('does not go on with a run that failed since', async () => {
    const runs = makeRuns();
    const id = await startAtGate(runs);
    await answerRunGate(servicesOf(runs), { id, answer: true });
    const error = { code: 'limit_reached', message: 'too many steps' };
    await runs.append(id, say.exit('g', true), { type: 'run.fail', error });
    const again = await answerRunGate(servicesOf(runs), { id, gate: 5, answer: true });
    expect(again).toMatchObject({ code: 'nothing_to_do', data: { run: id, node: 'g', gate: 5 } });
    expect(isRefusal(again) && again.message).toContain('and the run failed after that');
  });
});
