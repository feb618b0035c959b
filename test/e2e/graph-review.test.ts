/** The example with an agent, as a person without a key would run it: mended, looked at, answered, taken home. */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { ROOT } from './support/command.ts';
import { openStage, type Stage, skipWithoutSandbox } from './support/stage.ts';

const FOLDER = 'examples/graphs';
const CODE = `${FOLDER}/review-project/median.js`;
const RUN = ['graph', 'run', `${FOLDER}/review.json`, '--model', `scripted:${FOLDER}/review.script.json`];

/** A stage whose repository has the examples where this one has them. */
async function openReview(ctx: TestContext): Promise<Stage> {
  await skipWithoutSandbox(ctx);
  const stage = openStage(ctx);
  cpSync(join(ROOT, FOLDER), join(stage.repository, FOLDER), { recursive: true });
  const git = (...args: readonly string[]) => execFileSync('git', ['-C', stage.repository, ...args]);
  git('add', FOLDER);
  git('-c', 'user.name=p', '-c', 'user.email=p@example.org', 'commit', '-qm', 'Add the examples');
  return stage;
}

test('the agent of the example mends the project, and a person decides about its change', async (ctx) => {
  const stage = await openReview(ctx);
  const before = readFileSync(join(stage.repository, CODE), 'utf8');
  const parked = await stage.ask(RUN, { exit: 7 });
  expect(parked).toMatchObject({ status: 'parked', parked: { gates: [{ node: 'approve' }], calls: [] } });
  const run = String(parked.run);
  const [gate] = stage.eventsOfType(run, 'gate.open');
  expect(gate?.question).toMatch(/sorts them as numbers now\.\n .*median\.js .*\| 2 \+-\n 1 file changed/);
  const checks = stage
    .eventsOfType(run, 'tool.result')
    .map(({ output }) => (output as { readonly value?: { readonly exitCode?: number } } | undefined)?.value?.exitCode)
    .filter((code) => code !== undefined);
  expect(checks.slice(0, 2), 'the check fails before the change, and not after it').toEqual([1, 0]);
  expect(readFileSync(join(stage.repository, CODE), 'utf8'), 'the checkout is as it was').toBe(before);

  const done = await stage.ask(['answer', run, 'true']);
  expect(done).toMatchObject({ status: 'completed', output: { verdict: 'doubtful', approved: true } });
  await stage.ask(['apply', run, '--to-checkout']);
  expect(readFileSync(join(stage.repository, CODE), 'utf8')).toBe(before.replace('.sort()', '.sort((a, b) => a - b)'));
});
