/** A process killed at any moment leaves a store that the auditor passes and a session that goes on. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal, type RunId } from '@ramet/core';
import {
  askSink,
  callShell,
  callTool,
  makeSessionHarness,
  type SessionHarness,
  type Sink,
  startSink,
} from '@ramet/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestLog, makeRandom, ROUNDS, runWorker, startWorker } from './session-processes.ts';

const FILES = Object.fromEntries(
  Array.from({ length: 60 }, (_, index) => [`src/${index % 10}/file-${index}.txt`, `file ${index}\n`.repeat(50)]),
);

describe('a process killed with SIGKILL', { timeout: 1_800_000 }, () => {
  let h: SessionHarness;
  let sink: Sink;
  const random = makeRandom();
  beforeAll(async () => {
    h = makeSessionHarness({ files: FILES });
    sink = await startSink();
  });
  afterAll(async () => {
    await sink.close();
    h.remove();
  });

  /** Continues the open turn, or begins one. */
  async function goOn(session: RunId): Promise<void> {
    const last = h.eventsOf(session).findLast(({ type }) => type === 'message' || type === 'session.end');
    const result =
      last?.type === 'message' ? await h.run(session, null, { prompt: null }) : await h.turn(session, 'echo on >> on');
    expect(result, JSON.stringify(result)).toMatchObject({ kind: 'ended', end: { reason: 'completed' } });
  }

  it('during a turn and its checkpoint: no call is made twice, and the turn goes on', async () => {
    const { session } = await h.turn(null, 'true');
    const replies = [
      callShell('echo x >> count; for i in $(seq 40); do echo $i > new-$i; done; git add -A; git commit -qm c'),
      callTool('write_file', { path: 'written', content: 'w'.repeat(300_000) }),
      callShell('rm -f new-1*; git stash -q; git stash pop -q'),
      { text: 'done' },
    ];
    const model = h.writeScript(replies);
    const action = { kind: 'turn', session, model, sandbox: 'auto' } as const;
    const whole = await runWorker(h, action, Number.POSITIVE_INFINITY);
    expect(whole.output).toContain('"completed"');
    let begun = 1;
    let killed = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const end = await runWorker(h, action, random() * whole.ms * 1.1);
      begun += 1;
      killed += end.killed ? 1 : 0;
      expect(h.problems(), `round ${round}`).toEqual([]);
      await goOn(session);
    }
    expect(h.problems()).toEqual([]);
    const count = readFileSync(join(h.workspaceOf(session), 'count'), 'utf8')
      .trim()
      .split('\n').length;
    expect(count).toBeLessThanOrEqual(begun);
    expect(killed).toBeGreaterThan(0);
  });

  it('during the making of a session: it is there as a whole or not at all', async () => {
    const model = h.writeScript([{ text: 'done' }]);
    const action = { kind: 'turn', session: null, model, sandbox: 'auto' } as const;
    const whole = await runWorker(h, action, Number.POSITIVE_INFINITY);
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = new Set(h.store.listRuns());
      await runWorker(h, action, random() * whole.ms);
      expect(h.problems(), `round ${round}`).toEqual([]);
      for (const id of h.store.listRuns()) {
        if (before.has(id)) continue;
        expect(existsSync(join(h.workspaceOf(id), 'src/0/file-0.txt')), `round ${round}`).toBe(true);
        await goOn(id);
      }
    }
  });

  it('during a fork: the source keeps its bytes, and the fork can be made', async () => {
    const { session, end } = await h.turn(null, 'yes | head -c 400000; echo 1 > f');
    await h.turn(session, 'rm f');
    const before = digestLog(h, session);
    const action = { kind: 'fork', session, at: end.offset } as const;
    const whole = await runWorker(h, action, Number.POSITIVE_INFINITY);
    for (let round = 0; round < ROUNDS; round += 1) {
      await runWorker(h, action, random() * whole.ms);
      expect(digestLog(h, session), `round ${round}`).toBe(before);
      expect(h.problems(), `round ${round}`).toEqual([]);
    }
    const forked = await h.tryFork(session, { at: end.offset });
    expect(isRefusal(forked)).toBe(false);
    expect(digestLog(h, session)).toBe(before);
    expect(h.problems()).toEqual([]);
  });

  it('during a restore: the child is restored as a whole when it runs again, and the parent stays', async () => {
    const one = await h.turn(null, 'echo 1 >> src/0/file-0.txt; git add -A; echo 2 > new; git tag t; git branch side');
    const { session } = one;
    const fingerprint = await h.fingerprintOf(session);
    await h.turn(session, 'git reset -q --hard; rm -f new; echo other > src/1/file-1.txt');
    const parent = { log: digestLog(h, session), fingerprint: await h.fingerprintOf(session) };
    const model = h.writeScript([{ text: 'looked' }]);
    const first = await h.fork(session, 1);
    const act = (child: RunId) => ({ kind: 'turn', session: child, model, sandbox: 'auto' }) as const;
    const whole = await runWorker(h, act(first), Number.POSITIVE_INFINITY);
    for (let round = 0; round < ROUNDS; round += 1) {
      const child = await h.fork(session, 1);
      await runWorker(h, act(child), random() * whole.ms);
      expect(h.problems(), `round ${round}`).toEqual([]);
      const result = await h.run(child, [{ text: 'looked' }]);
      expect(result).toMatchObject({ kind: 'ended', end: { reason: 'completed' } });
      expect(await h.fingerprintOf(child), `round ${round}`).toEqual(fingerprint);
      expect(h.eventsOfType(child, 'workspace.restore')).toMatchObject([{ outcome: 'restored' }]);
    }
    expect({ log: digestLog(h, session), fingerprint: await h.fingerprintOf(session) }).toEqual(parent);
  });

  it('B70: in the middle of a call that leaves the workspace: it is not sent again until a person says so', async () => {
    const { session } = await h.turn(null, 'true');
    const model = h.writeScript([callShell(askSink(sink, 'sent')), { text: 'done' }]);
    const worker = startWorker({
      home: h.home,
      repository: h.repository,
      env: h.services.env,
      action: { kind: 'turn', session, model, sandbox: 'none' },
    });
    sink.onRequest = worker.kill;
    expect(await worker.ended).toMatchObject({ killed: true });
    sink.onRequest = null;
    expect(sink.seen).toEqual(['/sent']);
    const intent = h.eventsOfType(session, 'tool.intent').at(-1);
    expect(intent).toMatchObject({ contained: false });
    const settings = { sandbox: 'none', rules: [{ tool: 'shell', do: 'allow' }] } as const;
    for (const _ of [1, 2]) {
      const parked = await h.run(session, null, { prompt: null, settings });
      expect(parked).toMatchObject({ kind: 'parked', reason: 'outcome_unknown', offset: intent?.seq });
    }
    await h.run(session, [{ text: 'next' }], { settings });
    expect(h.eventsOfType(session, 'tool.result').at(-1)).toMatchObject({ outcome: 'outcome_unknown' });
    expect(sink.seen).toEqual(['/sent']);
    const child = await h.fork(session, 1);
    expect(h.eventsOfType(child, 'session.fork')).toMatchObject([{ outstanding: [{ outcome: 'outcome_unknown' }] }]);
    const again = await h.turn(child, askSink(sink, 'sent'), { settings });
    expect(again.denied).toHaveLength(1);
    expect(sink.seen).toEqual(['/sent']);
    expect(h.problems()).toEqual([]);
  });
});
