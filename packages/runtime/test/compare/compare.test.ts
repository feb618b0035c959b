import { isRefusal, type RunId } from '@ramet/core';
import { compareSessions, type SessionComparison } from '@ramet/runtime/compare';
import { forkSession } from '@ramet/runtime/fork';
import type { FileStore } from '@ramet/runtime/store';
import { buildSession, buildTurn, makeTestId, type TurnPlan } from '@ramet/testkit';
import { countIds, ownOf } from '@ramet/testkit/store-contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { endsOf, expectDone, FIRST, makeHome, openTestStore, SECOND } from '../store/helpers.ts';

let store: FileStore;

beforeEach(() => {
  store = openTestStore(makeHome(), 2_000);
});

async function make(id: RunId, turns: readonly TurnPlan[]): Promise<void> {
  const staged = store.stage(id);
  staged.append(buildSession({ id, turns: [turns[0] ?? {}], workspace: 'none', project: null }));
  await staged.commit();
  await append(id, turns.slice(1));
}

async function append(id: RunId, turns: readonly TurnPlan[]): Promise<void> {
  const owner = await ownOf(store, id);
  for (const [index, turn] of turns.entries()) await owner.append(buildTurn(turn, index + 2), { durable: false });
  owner.close();
}

let made = 500;
async function fork(id: RunId, at?: number): Promise<RunId> {
  made += 10;
  const { session } = expectDone(
    await forkSession({ store, makeId: countIds(made) }, id, at === undefined ? {} : { at }),
  );
  return session as RunId;
}

async function compare(left: RunId, right: RunId): Promise<SessionComparison> {
  const compared = await compareSessions(store, left, right);
  if (isRefusal(compared)) throw new Error(compared.message);
  return compared;
}

/** The last offset two logs have in common, line by line. */
function lastCommon(left: RunId, right: RunId): number {
  const [one, other] = [left, right].map((id) => [...(store.read(id)?.readBytes() ?? [])].map(String));
  let at = 0;
  while (one?.[at] !== undefined && one[at] === other?.[at]) at += 1;
  return at - 1;
}

const USAGE = { inputTokens: 10, outputTokens: 1 };

describe('two sessions', () => {
  it('part where their logs do: parent and child, siblings, and cousins, at every turn', async () => {
    await make(
      FIRST,
      Array.from({ length: 8 }, () => ({})),
    );
    for (const at of endsOf(store)) {
      const child = await fork(FIRST, at);
      const sibling = await fork(FIRST, at);
      await append(child, [{}, {}]);
      await append(sibling, [{}]);
      const grandchild = await fork(child);
      for (const [left, right, relation] of [
        [FIRST, child, 'parent'],
        [child, FIRST, 'child'],
        [child, sibling, 'siblings'],
        [grandchild, sibling, 'relatives'],
        [child, grandchild, 'parent'],
        [child, child, 'same'],
      ] as const) {
        const compared = await compare(left, right);
        expect([compared.relation, compared.parting?.offset]).toEqual([relation, lastCommon(left, right)]);
      }
      expect((await compare(FIRST, child)).parting?.offset).toBe(at);
    }
  });

  it('that say the same but descend from nothing in common share nothing', async () => {
    await make(FIRST, [{}, {}]);
    await make(SECOND, [{}, {}]);
    const compared = await compare(FIRST, SECOND);
    expect(compared).toMatchObject({ relation: 'none', parting: null });
    expect([compared.left.turns, compared.right.turns]).toEqual([
      { begun: 2, ended: 2 },
      { begun: 2, ended: 2 },
    ]);
  });

  it('are siblings when their parent is gone', async () => {
    await make(FIRST, [{}, {}]);
    const [one, other] = [await fork(FIRST), await fork(FIRST)];
    await store.remove(FIRST);
    expect(await compare(one, other)).toMatchObject({
      relation: 'siblings',
      parting: { offset: lastCommon(one, other) },
    });
  });

  it('are told by what each did after they parted, and by nothing before', async () => {
    await make(FIRST, [{ replies: [{ usage: USAGE, calls: [{}] }, { text: 'x' }] }]);
    const child = await fork(FIRST);
    await append(FIRST, [
      {
        replies: [
          { calls: [{}, { outcome: 'error' }], usage: USAGE },
          { text: 'x', usage: USAGE },
        ],
      },
    ]);
    await append(child, [{ replies: [{ text: 'y', usage: USAGE }] }, { open: true }]);
    const { left, right } = await compare(FIRST, child);
    expect(left).toMatchObject({
      id: FIRST,
      turns: { begun: 1, ended: 1 },
      calls: { ok: 1, error: 1 },
      damaged: false,
    });
    expect(left.usage).toMatchObject({ replies: 2, inputTokens: 20, outputTokens: 2 });
    expect(right).toMatchObject({ id: child, turns: { begun: 2, ended: 1 }, calls: {} });
    expect(right.usage).toMatchObject({ inputTokens: 10 });
    expect(left.workedMs).toBeGreaterThanOrEqual(0);
    expect(left.firstTime !== null && left.lastTime !== null && left.firstTime <= left.lastTime).toBe(true);
  });

  it('without files to compare are compared all the same, and the reason is told', async () => {
    await make(FIRST, [{}]);
    const child = await fork(FIRST);
    expect((await compare(FIRST, child)).files).toMatchObject({ kind: 'not_compared', code: 'no_checkpoint' });
  });

  it('of which one is not there are refused', async () => {
    await make(FIRST, [{}]);
    expect(await compareSessions(store, FIRST, makeTestId(98))).toMatchObject({ code: 'unknown_run' });
    expect(await compareSessions(store, makeTestId(98), FIRST)).toMatchObject({ code: 'unknown_run' });
  });
});
