/** A machine where no sandbox can be had: nothing of an agent or a graph runs until a person says so by name. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BIN, parseAnswer, runProgram } from './support/command.ts';
import { callShell, Stage, skipWithoutSandbox } from './support/stage.ts';
import { listRuns } from './support/store.ts';

const BWRAP = '/usr/bin/bwrap';

/** Each such machine, made of this one by bubblewrap. */
const MACHINES = [
  { name: 'bubblewrap is not installed', hide: ['--ro-bind', '/dev/null', BWRAP], install: /bubblewrap/ },
  { name: 'user namespaces are forbidden', hide: ['--unshare-user', '--disable-userns'], install: null },
];

let stage: Stage;
beforeAll(async () => {
  stage = new Stage();
  await stage.play(null, [{ text: 'done' }], { args: ['--no-sandbox'] });
});
afterAll(() => stage.close());

function askThere(hide: readonly string[], args: readonly string[]) {
  const command = ['--dev-bind', '/', '/', ...hide, process.execPath, BIN, ...args, '--json'];
  return runProgram(BWRAP, command, { cwd: stage.repository, env: stage.env });
}

describe.each(MACHINES)('where $name', { timeout: 120_000 }, ({ hide, install }) => {
  test('a turn is refused with no_sandbox, and says what would help', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const model = stage.writeScript([callShell('echo made > made.txt'), { text: 'done' }]);
    const before = listRuns(stage.home);
    const ended = await askThere(hide, ['run', '--model', model, 'go on']);
    expect(ended).toMatchObject({ code: 3, stderr: '' });
    const answer = parseAnswer(ended);
    expect(answer).toMatchObject({ code: 'no_sandbox', message: expect.stringContaining('--no-sandbox') });
    expect(answer.install).toEqual(install === null ? null : expect.stringMatching(install));
    expect(listRuns(stage.home)).toEqual(before);
  });

  test('it runs with --no-sandbox', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const model = stage.writeScript([{ text: 'done' }]);
    const ended = await askThere(hide, ['run', '--model', model, '--no-sandbox', 'go on']);
    expect(ended.code, ended.stdout + ended.stderr).toBe(0);
  });

  test('a program of a graph fails with no_sandbox and is not run', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const file = join(stage.area.folder, 'graph.json');
    const node = { kind: 'tool', exec: { command: 'echo made > made.txt' } };
    writeFileSync(file, JSON.stringify({ schema: 1, name: 'g', nodes: { make: node }, edges: [] }));
    const ended = await askThere(hide, ['graph', 'run', file]);
    expect(ended.code, ended.stdout + ended.stderr).toBe(3);
    expect(JSON.stringify(parseAnswer(ended))).toContain('"code":"no_sandbox"');
  });
});
