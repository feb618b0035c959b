/** The part of the contract of a store about graph runs: event 0 apart, and forks that have an event 0 of their own. */
import { canonicalJson } from '@ramet/core';
import { forkSession } from '@ramet/runtime/fork';
import { describe, expect, it } from 'vitest';
import { sha256 } from './log-builders.ts';
import { commitChild, commitRun, entersOf, eventsOf, planNodes, stageChild } from './run-acts.ts';
import { buildNode, buildRun, buildRunStart } from './run-builders.ts';
import { bytesOf, codeOf, countIds, FIRST, type OpenStore, ownOf, SECOND, shareOf } from './store-acts.ts';

/** Graph runs, as every store must keep them. */
export function describeRuns(openStore: OpenStore): void {
  describe('graph runs', () => {
    it('have event 0 in a segment of its own', async () => {
      const store = openStore();
      await commitRun(store, FIRST);
      const outline = store.read(FIRST)?.readOutline();
      expect(outline?.heads[0]).toMatchObject({ first: 0, count: 1, graph: { id: FIRST } });
      expect(outline?.heads[1]).toMatchObject({ first: 1, prev: outline?.heads[0]?.digest });
      const owner = await ownOf(store, FIRST);
      await owner.append(buildNode({ path: 'more' }), { durable: true });
      owner.close();
      const { heads, readLine } = store.read(FIRST)?.readOutline() ?? { heads: [], readLine: () => null };
      expect(heads.filter(({ first }) => first === 0)).toHaveLength(1);
      expect(readLine(0, 0, heads[0]?.graph?.bytes ?? 0)).toMatchObject({ type: 'graph.start', id: FIRST });
      expect(eventsOf(store, FIRST).map(({ seq }) => seq)).toEqual(eventsOf(store, FIRST).map((_, index) => index));
    });

    it('that hold nothing yet may be gone on with', async () => {
      const store = openStore();
      const staged = store.stage(FIRST);
      staged.append([buildRunStart({ id: FIRST })]);
      await staged.commit();
      const owner = await ownOf(store, FIRST);
      expect(owner.next).toBe(1);
      await owner.append(buildNode({ path: 'a' }), { durable: true });
      owner.close();
      expect(
        store
          .read(FIRST)
          ?.readOutline()
          .heads.map(({ first }) => first),
      ).toEqual([0, 1]);
    });

    it('are no sessions to fork', async () => {
      const store = openStore();
      await commitRun(store, FIRST);
      expect(codeOf(await forkSession({ store, makeId: countIds() }, FIRST, {}))).toBe('not_a_session');
      expect(store.listRuns()).toEqual([FIRST]);
    });
  });
  describeChildren(openStore);
}

function describeChildren(openStore: OpenStore): void {
  describe('forks of graph runs', () => {
    it('have an event 0 of their own, and every other line of their source up to the boundary', async () => {
      const store = openStore();
      await commitRun(store, FIRST);
      const source = bytesOf(store, FIRST);
      const makeId = countIds();
      for (const at of entersOf(store, FIRST)) {
        const id = makeId();
        const own = buildNode({ path: 'own' });
        const { bytes } = await commitChild(store, FIRST, { id, at, own });
        const child = bytesOf(store, id);
        const inherited = linesOf(source).slice(1, at);
        expect(linesOf(child).slice(1, at)).toEqual(inherited);
        expect(bytes.own + bytes.shared).toBe(child.length);
        const [start, ...rest] = eventsOf(store, id);
        expect(rest.at(at - 1)).toMatchObject({ type: 'node.enter', seq: at, event0: sha256(linesOf(child)[0] ?? '') });
        expect(start).toMatchObject({ id, forkedFrom: { id: FIRST, offset: at - 1 } });
        expect(rest[0]?.prev).toBe(sha256(linesOf(source)[0] ?? ''));
        expect(store.read(id)?.readOutline({ full: true }).damage).toBeNull();
      }
      expect(bytesOf(store, FIRST)).toEqual(source);
    });

    it('go down to depth 10, each from an own event 0', async () => {
      const store = openStore();
      await commitRun(store, FIRST, planNodes(1));
      const root = sha256(linesOf(bytesOf(store, FIRST))[0] ?? '');
      const makeId = countIds();
      let parent = FIRST;
      for (let depth = 1; depth <= 10; depth += 1) {
        const id = makeId();
        const at = entersOf(store, parent).at(-1) ?? 0;
        await commitChild(store, parent, { id, at });
        const owner = await ownOf(store, id);
        await owner.append(buildRun({ nodes: planNodes(2, depth * 10) }).slice(1), { durable: true });
        owner.close();
        expect(eventsOf(store, id)[0]).toMatchObject({ forkedFrom: { id: parent, sourceEvent0Digest: root } });
        parent = id;
      }
      expect(store.read(parent)?.readOutline({ full: true }).damage).toBeNull();
      expect(eventsOf(store, parent).filter(({ event0 }) => event0 !== undefined)).toHaveLength(10);
    });

    it('of a run this process owns end before what is not inherited', async () => {
      const store = openStore();
      await commitRun(store, FIRST, planNodes(1));
      const owner = await ownOf(store, FIRST);
      await owner.append(buildNode({ path: 'late' }), { durable: false });
      await commitChild(store, FIRST, { id: SECOND, at: owner.next - 2 });
      await owner.append(buildNode({ path: 'later' }), { durable: true });
      owner.close();
      expect(eventsOf(store, SECOND).slice(1)).toEqual(eventsOf(store, FIRST).slice(1, 6));
    });

    it('keep payloads when their source is removed, and say what it had lost', async () => {
      const store = openStore();
      const input = { text: 'payload '.repeat(50_000) };
      await commitRun(store, FIRST, [{ path: 'a', input }, { path: 'b' }]);
      const at = entersOf(store, FIRST)[1] ?? 0;
      const staged = await commitChild(store, FIRST, { id: SECOND, at });
      expect(staged.missingPayloads).toEqual([]);
      expect(await store.remove(FIRST)).toBeNull();
      const text = Buffer.from(store.read(SECOND)?.readPayload(sha256(input.text)) ?? []).toString();
      expect(sha256(canonicalJson({ text }))).toBe(eventsOf(store, SECOND)[1]?.inputDigest);
    });

    it('are there whole or not at all', async () => {
      const store = openStore();
      await commitRun(store, FIRST);
      const [at = 0] = entersOf(store, FIRST);
      const staged = await stageChild(store, FIRST, { id: SECOND, at });
      expect(store.read(SECOND)).toBeNull();
      await expect(
        staged.commit(() => {
          throw new Error('no');
        }),
      ).rejects.toThrow('no');
      expect(store.listRuns()).toEqual([FIRST]);
      (await shareOf(store, FIRST)).close();
      await commitChild(store, FIRST, { id: SECOND, at });
      expect([...store.listRuns()].sort()).toEqual([FIRST, SECOND]);
    });
  });
}

function linesOf(log: Buffer): readonly string[] {
  return log.toString().split('\n').slice(0, -1);
}
