/** A daemon that is killed at any moment, again and again: what it began goes on to its end, and nothing is done twice. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { daemonFolderOf, type ServedDaemon, startDaemon, until } from '../e2e/support/daemon.ts';
import { callShell, openStage, type Stage, skipWithoutSandbox } from '../e2e/support/stage.ts';
import { makeRandom } from './session-processes.ts';

/** How often it is killed; `RAMET_FAULT_ROUNDS` makes it more. */
const KILLS = Math.ceil(Number(process.env.RAMET_FAULT_ROUNDS ?? 12) / 3);
const SESSIONS = 4;
const COMMANDS = 5;
/** Between two deaths, at most. */
const LIFE_MS = 2_500;

async function begin(stage: Stage, daemon: ServedDaemon, key: string): Promise<string> {
  const commands = Array.from({ length: COMMANDS }, (_, index) => callShell(`echo ${index} >> marks; sleep 0.3`));
  const body = { cwd: stage.repository, prompt: key, model: stage.writeScript([...commands, { text: 'done' }]) };
  const { status, body: answer } = await daemon.ask('/v1/sessions', body);
  expect(status, JSON.stringify(answer)).toBe(201);
  return String(answer.session);
}

test('a daemon killed with SIGKILL: every turn it began ends, no call is made twice', {
  timeout: 600_000,
}, async (ctx) => {
  await skipWithoutSandbox(ctx);
  const stage = openStage(ctx);
  const random = makeRandom();
  let daemon = await startDaemon(stage, ctx);
  const begun = daemon;
  const sessions = await Promise.all(Array.from({ length: SESSIONS }, (_, index) => begin(stage, begun, `s${index}`)));
  for (let kill = 0; kill < KILLS; kill += 1) {
    await sleep(random() * LIFE_MS);
    await daemon.stop('SIGKILL');
    expect(stage.problems(), `after death ${kill}`).toEqual([]);
    daemon = await startDaemon(stage, ctx);
  }
  await until(() => sessions.every((id) => stage.eventsOfType(id, 'session.end').length > 0));
  for (const id of sessions) {
    expect(stage.eventsOfType(id, 'session.end')).toMatchObject([{ reason: 'completed' }]);
    expect(stage.eventsOfType(id, 'message')).toHaveLength(1);
    const path = join(stage.workspaceOf(id), 'marks');
    const marks = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
    expect(new Set(marks).size, marks.join()).toBe(marks.length);
    expect(stage.eventsOfType(id, 'tool.intent')).toHaveLength(COMMANDS);
  }
  await until(() => readdirSync(join(daemonFolderOf(stage), 'work')).length === 0);
  expect(await daemon.stop()).toBe(0);
});
