import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { deriveSessionOverview, type RunId } from '@ramet/core';
import { type Fingerprint, makeSessionHarness, type SessionHarness } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listSessions, readStoreUsage } from '../../src/inspect/index.ts';
import { setTitle } from '../../src/runs/index.ts';

let h: SessionHarness;
beforeEach(() => {
  h = makeSessionHarness();
});
afterEach(() => h.remove());

const linesOf = (id: RunId): readonly string[] => h.logOf(id).toString('utf8').split('\n').slice(0, -1);

describe('B14: the child’s bill', () => {
  it('holds its own turns, and apart what it inherited; the store counts each reply once', async () => {
    const usage = { inputTokens: 1000, outputTokens: 100 };
    const pay = async (session: RunId | null): Promise<RunId> => {
      const result = await h.run(session, [{ text: 'x', usage }]);
      if (!('end' in result)) throw new Error(JSON.stringify(result));
      return result.session;
    };
    const s = await pay(null);
    for (const _ of [2, 3, 4]) await pay(s);
    const a = await h.fork(s, 4);
    const b = await h.fork(s, 2);
    const c = await h.fork(a, 4);
    const idle = await h.fork(s, 3);
    for (const child of [a, b, c]) await pay(child);
    const sessions = new Map(listSessions(h.store).map((summary) => [summary.id, summary]));
    const own = [s, a, b, c, idle].map((id) => sessions.get(id)?.own.usage.inputTokens);
    const inherited = [s, a, b, c, idle].map((id) => sessions.get(id)?.inherited.usage.inputTokens);
    expect(own).toEqual([4000, 1000, 1000, 1000, 0]);
    expect(inherited).toEqual([0, 4000, 2000, 4000, 3000]);
    expect(readStoreUsage(h.store).total.inputTokens).toBe(7000);
    await h.store.remove(s);
    const after = new Map(listSessions(h.store).map((summary) => [summary.id, summary]));
    expect([a, b, c].map((id) => after.get(id)?.own.usage.inputTokens)).toEqual([1000, 1000, 1000]);
  });
});

describe('B17: a fork of a fork', { timeout: 300_000 }, () => {
  it('holds exactly the source’s lines and files, twenty deep, twice at one point, and after a removal', async () => {
    const prints: Fingerprint[] = [];
    let session: RunId | null = null;
    for (const turn of [1, 2, 3, 4, 5]) {
      session = (await h.turn(session, `echo ${turn} >> f; git add f; echo ${turn} > loose-${turn}`)).session;
      prints.push(await h.fingerprintOf(session));
    }
    const s = session as RunId;
    const check = async (child: RunId, source: readonly string[], turn: number, print: Fingerprint) => {
      const end = h.eventsOfType(child, 'session.end')[turn - 1];
      const lines = linesOf(child);
      expect(lines.slice(0, -1)).toEqual(source.slice(0, (end?.seq ?? 0) + 1));
      await h.run(child, [{ text: 'looked' }]);
      expect(await h.fingerprintOf(child)).toEqual(print);
    };
    const [c1, c2] = [await h.fork(s, 3), await h.fork(s, 3)];
    expect(linesOf(c1).slice(0, -1)).toEqual(linesOf(c2).slice(0, -1));
    expect(c1).not.toBe(c2);
    await check(c1, linesOf(s), 3, prints[2] as Fingerprint);
    await check(await h.fork(c1, 1), linesOf(c1), 1, prints[0] as Fingerprint);
    let parent = await h.fork(c1, 2);
    let print = prints[1] as Fingerprint;
    for (let depth = 1; depth <= 18; depth += 1) {
      if (depth % 3 === 1) {
        await h.turn(parent, `echo depth ${depth} >> f; git commit -qam ${depth}`);
        print = await h.fingerprintOf(parent);
      }
      const turn = h.eventsOfType(parent, 'session.end').length;
      const child = await h.fork(parent, turn);
      expect(h.eventsOfType(child, 'session.fork').at(-1)).toMatchObject({ id: child, parent });
      if (depth % 6 === 0) await check(child, linesOf(parent), turn, print);
      parent = child;
    }
    const before = linesOf(s);
    await h.store.remove(c1);
    await check(await h.fork(s, 5), before, 5, prints[4] as Fingerprint);
    expect(new Set(h.store.listRuns()).size).toBe(h.store.listRuns().length);
    expect(h.problems()).toEqual([]);
  });
});

describe('B21: identity', () => {
  it('is the child’s own, by the whole log and by its tail, three deep, and nothing it does changes the parent', async () => {
    mkdirSync(join(h.repository, 'sub'));
    const { session: s } = await h.turn(null, 'true', { created: { title: 'one' } });
    const before = h.logOf(s);
    const inherited = await h.fork(s, 1);
    const child = await h.fork(s, 1, { title: 'child' });
    await setTitle(h.store, child, 'two');
    const model = h.writeScript([{ text: 'x' }]);
    await h.run(child, null, { settings: { model } });
    const grandchild = await h.fork(child, 2);
    const describeRun = (id: RunId) => {
      const heads = h.store.read(id)?.readOutline({ full: true }).heads ?? [];
      const overview = deriveSessionOverview(heads);
      return [overview?.id, overview?.title, overview?.titleFrom, overview?.turns, overview?.ownTurns];
    };
    expect(describeRun(s)).toEqual([s, 'one', 'own', 1, 1]);
    expect(describeRun(inherited)).toEqual([inherited, 'one', 'inherited', 1, 0]);
    expect(describeRun(child)).toEqual([child, 'two', 'own', 2, 1]);
    expect(describeRun(grandchild)).toEqual([grandchild, 'two', 'inherited', 2, 0]);
    expect(h.logOf(s).equals(before)).toBe(true);
    await setTitle(h.store, s, 'renamed');
    expect(describeRun(child)[1]).toBe('two');
    const result = await h.turn(grandchild, 'true');
    expect(result.session).toBe(grandchild);
    expect(h.eventsOfType(grandchild, 'session.config').at(-1)?.model.name).not.toBe(model);
    expect(h.problems()).toEqual([]);
  });
});
