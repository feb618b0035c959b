/** Cases of ownership: two processes and one session, owners that died, forks while a turn runs. */

import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal, type RunId } from '@ramet/core';
import { callShell, makeSessionHarness, type SessionHarness } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeRandom, ROUNDS, runWorker, startWorker, type Worker } from './session-processes.ts';
import type { WorkerTask } from './session-worker.ts';

let h: SessionHarness;
beforeEach(() => {
  h = makeSessionHarness();
});
afterEach(() => h.remove());

function start(action: WorkerTask['action']): Worker {
  return startWorker({ home: h.home, repository: h.repository, env: h.services.env, action });
}

/** Waits until a worker is in its call; fails with its output when it ends instead. */
async function untilInCall(worker: Worker, session: RunId, intents: number): Promise<void> {
  let output: string | null = null;
  void worker.ended.then((end) => {
    output = end.output;
  });
  while (h.eventsOfType(session, 'tool.intent').length === intents) {
    if (output !== null) throw new Error(`the worker ended before its call: ${output}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('B06: two processes drive one session', { timeout: 900_000 }, () => {
  it('one of them works, the others are refused by name; readers disturb nobody', async () => {
    const { session } = await h.turn(null, 'true');
    const model = h.writeScript([callShell('echo turn >> turns; sleep 4'), { text: 'done' }]);
    const random = makeRandom();
    const rounds = Math.max(3, Math.floor(ROUNDS / 4));
    for (let round = 0; round < rounds; round += 1) {
      const intents = h.eventsOfType(session, 'tool.intent').length;
      const owner = start({ kind: 'turn', session, model, sandbox: 'auto' });
      await untilInCall(owner, session, intents);
      await new Promise((resolve) => setTimeout(resolve, random() * 200));
      const answers = await Promise.all([
        h.run(session, null, { prompt: null }),
        h.tryFork(session, {}),
        h.store.remove(session),
      ]);
      expect(h.eventsOf(session).at(-1)?.type).toBe('tool.intent');
      expect(answers.map((answer) => (isRefusal(answer) ? answer.code : answer))).toEqual(
        answers.map(() => 'owned_elsewhere'),
      );
      expect(answers[0]).toMatchObject({ message: expect.stringContaining(String(owner.pid)) });
      expect((await owner.ended).output).toContain('"completed"');
      expect(h.problems()).toEqual([]);
    }
    expect((await h.turn(session, 'true')).end.reason).toBe('completed');
    const made = readFileSync(join(h.workspaceOf(session), 'turns'), 'utf8')
      .trim()
      .split('\n');
    expect(made).toHaveLength(rounds);
  });
});

describe('B07: the lock outlives its owner', { timeout: 300_000 }, () => {
  async function killInCall(session: RunId): Promise<void> {
    const model = h.writeScript([callShell('echo begun; sleep 60'), { text: 'done' }]);
    const intents = h.eventsOfType(session, 'tool.intent').length;
    const owner = start({ kind: 'turn', session, model, sandbox: 'auto' });
    await untilInCall(owner, session, intents);
    owner.kill();
    await owner.ended;
  }

  it('is free at once when the owner was killed; the turn is continued, or ended by a new message, with one note', async () => {
    const { session } = await h.turn(null, 'true');
    const notices: string[] = [];
    const observer = { notice: (text: string) => notices.push(text) };
    await killInCall(session);
    expect(await h.run(session, null, { prompt: null, observer })).toMatchObject({
      turn: 2,
      end: { reason: 'completed' },
    });
    expect(notices.filter((text) => text.includes('stopped in the middle of a call'))).toHaveLength(1);
    await killInCall(session);
    expect(await h.turn(session, 'true', { observer })).toMatchObject({ turn: 4, end: { reason: 'completed' } });
    expect(h.eventsOfType(session, 'session.end').map(({ reason }) => reason)).toEqual([
      'completed',
      'completed',
      'interrupted',
      'completed',
    ]);
    expect(h.problems()).toEqual([]);
  });

  it('says nothing by what stands in its file, and is not inherited by a child', async () => {
    const { session } = await h.turn(null, 'true');
    const other = spawn('sleep', ['999']);
    const { lock } = h.store.pathsOf(session);
    const words = [
      JSON.stringify({ pid: other.pid }),
      JSON.stringify({ pid: process.pid }),
      '',
      'text',
      '\0'.repeat(5000),
    ];
    for (const word of words) {
      writeFileSync(lock, word);
      expect((await h.turn(session, 'true')).end.reason).toBe('completed');
    }
    other.kill();
    await killInCall(session);
    const child = await h.fork(session, 1);
    expect((await h.turn(child, 'true')).end.reason).toBe('completed');
    expect(h.problems()).toEqual([]);
  });
});

describe('B15: a fork taken while a turn runs', { timeout: 300_000 }, () => {
  it('in the owner holds the completed turns only, elsewhere it is refused, and the turn is not disturbed', async () => {
    const one = await h.turn(null, 'echo one > one');
    const { session } = one;
    const two = await h.turn(session, 'echo two > two; sleep 600 & disown');
    const fingerprint = await h.fingerprintOf(session);
    let forks: Promise<unknown>[] = [];
    const toolOutput = (text: string): void => {
      if (!text.includes('half') || forks.length > 0) return;
      const last = h.eventsOf(session).length - 1;
      forks = [
        h.tryFork(session, {}),
        h.tryFork(session, { at: two.end.offset }),
        h.tryFork(session, { at: last }),
        runWorker(h, { kind: 'fork', session, at: two.end.offset }, Number.POSITIVE_INFINITY).then(
          ({ output }) => output,
        ),
      ];
    };
    const command = 'echo half > half.txt; cat half.txt; sleep 5';
    const three = await h.turn(session, command, { observer: { toolOutput } });
    const [latest, named, open, elsewhere] = await Promise.all(forks);
    expect(three).toMatchObject({ turn: 3, end: { reason: 'completed' } });
    expect(latest).toMatchObject({ forkedFrom: { offset: two.end.offset } });
    expect(named).toMatchObject({ forkedFrom: { offset: two.end.offset } });
    expect(open).toMatchObject({ code: 'not_a_boundary' });
    expect(elsewhere).toContain('owned_elsewhere');
    for (const forked of [latest, named] as { session: RunId }[]) {
      await h.run(forked.session, [{ text: 'looked' }]);
      expect(await h.fingerprintOf(forked.session)).toEqual(fingerprint);
      expect(existsSync(join(h.workspaceOf(forked.session), 'half.txt'))).toBe(false);
    }
    expect(h.problems()).toEqual([]);
  });
});
