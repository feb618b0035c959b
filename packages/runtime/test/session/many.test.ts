import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal, type RunId } from '@ramet/core';
import { callShell, makeSessionHarness, type SessionHarness } from '@ramet/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SUSPEND } from '../../src/session/index.ts';

let h: SessionHarness;
const warnings: string[] = [];
const listen = (warning: Error): void => {
  warnings.push(`${warning.name}: ${warning.message}`);
};

beforeEach(() => {
  h = makeSessionHarness();
  warnings.length = 0;
  process.on('warning', listen);
});
afterEach(() => {
  process.off('warning', listen);
  h.remove();
});

const COUNT = 40;
const GIT = 4;

/** The place of the n-th session: a few checkouts of one repository, empty folders, folders in place. */
function placeOf(index: number) {
  if (index < GIT) return {};
  if (index % 2 === 0) return { workspace: 'none' } as const;
  const cwd = join(h.area.folder, `folder-${index}`);
  mkdirSync(cwd);
  return { workspace: 'directory', cwd } as const;
}

it('works in 40 sessions at once in one process, under one signal, and leaves the process as it was', async () => {
  const { signal } = new AbortController();
  const before = { cwd: process.cwd(), exits: process.listenerCount('exit') };
  const turns = Array.from({ length: COUNT }, (_, index) =>
    h.run(null, [callShell(`echo ${index} > mark`), { text: `done ${index}` }], {
      created: placeOf(index),
      settings: { signal },
    }),
  );
  const results = await Promise.all(turns);
  for (const [index, result] of results.entries()) {
    expect(result).toMatchObject({ kind: 'ended', text: `done ${index}`, end: { reason: 'completed' } });
  }
  const sessions = results.flatMap((result) => (isRefusal(result) ? [] : [result.session]));
  expect(new Set(sessions).size).toBe(COUNT);
  for (const session of sessions) {
    expect(h.eventsOfType(session, 'tool.result')).toMatchObject([
      { outcome: 'ok', output: { value: { exitCode: 0 } } },
    ]);
    expect(h.store.ownerOf(session)).toBeNull();
  }
  expect(warnings).toEqual([]);
  expect(process.cwd()).toBe(before.cwd);
  // One for the groups that end with this process, however many sessions there were.
  expect(process.listenerCount('exit') - before.exits).toBeLessThanOrEqual(1);
  expect(h.problems()).toEqual([]);
});

it('suspends 40 sessions at once with one signal, and goes on with all of them', async () => {
  const daemon = new AbortController();
  let waiting = 0;
  const settings = {
    signal: daemon.signal,
    rules: [{ tool: 'shell', do: 'ask' }] as const,
    ask: (_: unknown, signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('nobody came')));
        waiting += 1;
        if (waiting === COUNT) daemon.abort(SUSPEND);
      }),
  };
  const model = h.writeScript([callShell('true'), { text: 'done' }]);
  const begin = () => h.run(null, null, { created: { workspace: 'none' }, settings: { ...settings, model } });
  const parked = await Promise.all(Array.from({ length: COUNT }, begin));
  const sessions: readonly RunId[] = parked.flatMap((result) =>
    !isRefusal(result) && result.kind === 'parked' ? [result.session] : [],
  );
  expect(sessions).toHaveLength(COUNT);
  const allow = { rules: [{ tool: 'shell', do: 'allow' }] } as const;
  const ended = await Promise.all(sessions.map((session) => h.run(session, null, { prompt: null, settings: allow })));
  for (const result of ended) expect(result).toMatchObject({ kind: 'ended', text: 'done' });
  expect(warnings).toEqual([]);
  expect(h.problems()).toEqual([]);
});
