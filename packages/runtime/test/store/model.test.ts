/** The file store against the simplest model there is: for each run, an array of events. */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { type EventDraft, isRefusal, type RunId } from '@ramet/core';
import { forkSession } from '@ramet/runtime/fork';
import type { FileStore, OwnedLog } from '@ramet/runtime/store';
import { auditStore, buildSession, buildTurn, makeTestId } from '@ramet/testkit';
import { bytesOf, countIds, expectDone, ownOf } from '@ramet/testkit/store-contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeHome, openTestStore } from './helpers.ts';

interface Model {
  /** Lines of each run. */
  readonly runs: Map<RunId, string[]>;
  /** Children by key, null once removed. */
  readonly keys: Map<string, RunId | null>;
}

interface Real {
  readonly home: string;
  store: FileStore;
  readonly owned: Map<RunId, OwnedLog>;
  readonly makeId: () => RunId;
  turns: number;
}

type Command = fc.AsyncCommand<Model, Real>;

/** Sizes around the limit at which segments are sealed. */
const SEAL_BYTES = 700;

function pick(model: Model, choice: number): RunId | undefined {
  const ids = [...model.runs.keys()];
  return ids[choice % Math.max(ids.length, 1)];
}

function endsOf(lines: readonly string[]): readonly number[] {
  return lines.flatMap((line, offset) => (JSON.parse(line).type === 'session.end' ? [offset] : []));
}

function linesOf(real: Real, id: RunId): string[] {
  return bytesOf(real.store, id).toString().split('\n').slice(0, -1);
}

/** Every run is, byte for byte, what the model says. */
function expectSame(model: Model, real: Real): void {
  expect([...real.store.listRuns()].sort()).toEqual([...model.runs.keys()].sort());
  for (const [id, lines] of model.runs) expect(linesOf(real, id)).toEqual(lines);
}

function command(text: string, run: (model: Model, real: Real) => Promise<void>): Command {
  return {
    check: () => true,
    run: async (model, real) => {
      await run(model, real);
      expectSame(model, real);
    },
    toString: () => text,
  };
}

async function ownerOf(real: Real, id: RunId): Promise<OwnedLog> {
  const owner = real.owned.get(id) ?? (await ownOf(real.store, id));
  real.owned.set(id, owner);
  return owner;
}

function closeOwner(real: Real, id: RunId): void {
  real.owned.get(id)?.close();
  real.owned.delete(id);
}

const stage = command('stage', async (model, real) => {
  const id = real.makeId();
  const staged = real.store.stage(id);
  staged.append(buildSession({ id, turns: [{}] }));
  await staged.commit();
  model.runs.set(id, linesOf(real, id));
});

const append = (choice: number, padding: number, durable: boolean): Command =>
  command(`append ${choice} ${padding} ${durable}`, async (model, real) => {
    const id = pick(model, choice);
    if (id === undefined) return;
    const owner = await ownerOf(real, id);
    real.turns += 1;
    const drafts: readonly EventDraft[] = buildTurn({ prompt: 'p'.repeat(padding) }, real.turns);
    const events = await owner.append(drafts, { durable });
    const lines = model.runs.get(id) ?? [];
    expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => lines.length + index));
    const now = linesOf(real, id);
    expect(now.slice(0, lines.length)).toEqual(lines);
    expect(now.slice(lines.length).map((line) => JSON.parse(line))).toEqual(events);
    model.runs.set(id, now);
  });

const fork = (choice: number, at: number, key: string | null): Command =>
  command(`fork ${choice} at ${at} key ${key}`, async (model, real) => {
    const id = pick(model, choice);
    if (id === undefined) return;
    const source = model.runs.get(id) ?? [];
    const ends = endsOf(source);
    const offset = ends[at % ends.length] ?? 0;
    const bound = key === null ? undefined : model.keys.get(`${id} ${offset} ${key}`);
    const context = { store: real.store, makeId: real.makeId };
    const wanted = { at: offset, ...(key === null ? {} : { idempotencyKey: `${offset} ${key}` }) };
    const result = await forkSession(context, id, wanted);
    if (bound === null) {
      expect(result).toMatchObject({ code: 'child_removed' });
      return;
    }
    const child = expectDone(result).session ?? makeTestId(0);
    if (bound !== undefined) {
      expect(child).toBe(bound);
      return;
    }
    const lines = linesOf(real, child);
    expect(lines.slice(0, -1)).toEqual(source.slice(0, offset + 1));
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'session.fork', id: child, parent: id, offset });
    model.runs.set(child, lines);
    if (key !== null) model.keys.set(`${id} ${offset} ${key}`, child);
  });

const remove = (choice: number): Command =>
  command(`remove ${choice}`, async (model, real) => {
    const id = pick(model, choice);
    if (id === undefined) return;
    if (real.owned.has(id)) {
      expect(isRefusal(await real.store.remove(id))).toBe(true);
      closeOwner(real, id);
    }
    expect(await real.store.remove(id)).toBeNull();
    model.runs.delete(id);
    for (const [key, child] of model.keys) if (child === id) model.keys.set(key, null);
  });

const close = (choice: number): Command =>
  command(`close ${choice}`, async (model, real) => {
    const id = pick(model, choice);
    if (id !== undefined) closeOwner(real, id);
  });

const reopen = command('reopen', async (_, real) => {
  for (const id of [...real.owned.keys()]) closeOwner(real, id);
  real.store = openTestStore(real.home, SEAL_BYTES);
});

const COMMANDS = [
  fc.constant(stage),
  fc.tuple(fc.nat(20), fc.nat(1_500), fc.boolean()).map((values) => append(...values)),
  fc.tuple(fc.nat(20), fc.nat(1_500), fc.boolean()).map((values) => append(...values)),
  fc.tuple(fc.nat(20), fc.nat(20), fc.option(fc.constantFrom('a', 'b'))).map((values) => fork(...values)),
  fc.tuple(fc.nat(20), fc.nat(20), fc.option(fc.constantFrom('a', 'b'))).map((values) => fork(...values)),
  fc.nat(20).map(remove),
  fc.nat(20).map(close),
  fc.constant(reopen),
];

describe('the file store', () => {
  it('holds for each run the lines it was given, whatever is done in whatever order', async () => {
    const property = fc.asyncProperty(fc.commands(COMMANDS, { maxCommands: 40, size: 'max' }), async (commands) => {
      const home = makeHome();
      const real: Real = {
        home,
        store: openTestStore(home, SEAL_BYTES),
        owned: new Map(),
        makeId: countIds(),
        turns: 1,
      };
      await fc.asyncModelRun(() => ({ model: { runs: new Map(), keys: new Map() }, real }), commands);
      for (const id of [...real.owned.keys()]) closeOwner(real, id);
      expect(auditStore(home)).toEqual([]);
      for (const id of real.store.listRuns())
        expect(real.store.read(id)?.readOutline({ full: true }).damage).toBeNull();
      rmSync(dirname(home), { recursive: true });
    });
    await fc.assert(property, { numRuns: 20, seed: 20261130 });
  });
});
