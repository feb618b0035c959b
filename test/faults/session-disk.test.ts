/** A full disk fails a turn loudly, and the session goes on when there is room again. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { Failure, isRefusal, type RunId } from '@ramet/core';
import { callShell, callTool, makeSessionHarness, type SessionHarness } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mountSmallDisk, needDisk, type SmallDisk } from './small-disk.ts';

let h: SessionHarness;
let disk: SmallDisk | null;
beforeEach(() => {
  h = makeSessionHarness();
  mkdirSync(h.home, { recursive: true, mode: 0o700 });
  disk = mountSmallDisk(h.home, '32m');
});
afterEach(() => {
  disk?.unmount();
  h.remove();
});

const REPLIES = [
  callShell('head -c 100000 /dev/urandom > big; echo x >> count'),
  callTool('write_file', { path: 'text', content: 'x'.repeat(300_000) }),
  { text: 'done' },
];

describe('a turn on a full disk', { timeout: 300_000 }, () => {
  it.for([0, 8, 16, 40, 120, 400])(
    'with %i KiB left fails loudly or ends, and goes on later',
    async (left, context) => {
      const { fill } = needDisk(context, disk);
      const { session } = await h.turn(null, 'true');
      const filler = fill(left * 1024);
      const outcome = await h.run(session, REPLIES).catch((error: unknown) => error);
      if (left === 0 || outcome instanceof Error) expect(outcome).toBeInstanceOf(Failure);
      rmSync(filler);
      expect(h.problems()).toEqual([]);
      await goOn(session);
      expect(h.problems()).toEqual([]);
    },
  );

  it.for([0, 8, 16, 40])('with %i KiB left begins no half of a session', async (left, context) => {
    const { fill } = needDisk(context, disk);
    const { session } = await h.turn(null, 'true');
    const filler = fill(left * 1024);
    const outcome = await h.run(null, [{ text: 'done' }]).catch((error: unknown) => error);
    if (left === 0 || outcome instanceof Error) expect(outcome).toMatchObject({ code: 'disk_failed' });
    if (left === 0) expect(h.store.listRuns()).toEqual([session]);
    rmSync(filler);
    expect(h.problems()).toEqual([]);
  });

  it.for([0, 8, 64, 300, 700])(
    'with %i KiB left restores no half of a fork, which runs when there is room',
    async (left, context) => {
      const { fill } = needDisk(context, disk);
      const { session } = await h.turn(null, 'head -c 200000 /dev/urandom > own; git add own; git commit -qm own');
      const fingerprint = await h.fingerprintOf(session);
      const child = await h.fork(session, 1);
      const { folder } = h.store.pathsOf(child);
      const filler = fill(left * 1024);
      const outcome = await h.run(child, [{ text: 'looked' }]).catch((error: unknown) => error);
      if (left === 0 || outcome instanceof Error) expect(outcome).toMatchObject({ code: 'disk_failed' });
      const restored = h.eventsOfType(child, 'workspace.restore').length > 0;
      if (!restored) expect(readdirSync(folder).filter((name) => name.startsWith('workspace'))).toEqual([]);
      rmSync(filler);
      expect(h.problems()).toEqual([]);
      await goOn(child);
      expect(h.eventsOfType(child, 'workspace.restore')).toMatchObject([{ outcome: 'restored' }]);
      expect(h.problems()).toEqual([]);
      expect(await h.fingerprintOf(await h.fork(session, 1).then(started))).toEqual(fingerprint);
    },
  );

  it('that has no room for a new session leaves none, and nothing in the way of the next', async (context) => {
    const { fill } = needDisk(context, disk);
    const filler = fill(16 * 1024);
    const outcome = await h.run(null, [{ text: 'hi' }]).catch((error: unknown) => error);
    expect(outcome instanceof Failure || isRefusal(outcome), String(outcome)).toBe(true);
    expect(h.store.listRuns()).toEqual([]);
    rmSync(filler);
    expect((await h.turn(null, 'true')).end.reason).toBe('completed');
    expect(h.problems()).toEqual([]);
  });
});

/** A fork after a turn that changed nothing. */
async function started(child: RunId): Promise<RunId> {
  await h.run(child, [{ text: 'looked' }]);
  return child;
}

async function goOn(session: RunId): Promise<void> {
  const last = h.eventsOf(session).findLast(({ type }) => type === 'message' || type === 'session.end');
  const result =
    last?.type === 'message' ? await h.run(session, null, { prompt: null }) : await h.turn(session, 'true');
  expect(result).toMatchObject({ kind: 'ended', end: { reason: 'completed' } });
  const next = await h.turn(session, 'echo more > more');
  expect(next.checkpoint).toBeDefined();
}
