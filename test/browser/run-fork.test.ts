/** A graph run in the browser: forked past a write that left, asked by a gate, looked at. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../e2e/support/daemon.ts';
import type { Stage } from '../e2e/support/stage.ts';
import { idOf, see } from './support/acts.ts';
import { inspectPage } from './support/look.ts';
import { openSite } from './support/site.ts';

/** Reads, then writes one line to the outside, then reads. */
function publishTo(sink: string) {
  const tool = (command: string, effect: string) => ({ kind: 'tool', exec: { command, sandbox: false }, effect });
  return {
    schema: 1,
    name: 'publish',
    nodes: {
      look: tool('echo 1', 'read'),
      publish: tool(`echo published >> '${sink}'; echo 2`, 'write'),
      report: tool('echo 3', 'read'),
    },
    edges: [
      { from: 'look', to: 'publish' },
      { from: 'publish', to: 'report' },
    ],
  };
}

function countLines(path: string): number {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0;
}

async function countRuns(stage: Stage): Promise<number> {
  return ((await stage.ask(['runs'])) as { readonly runs: readonly unknown[] }).runs.length;
}

test('a run is forked past a write only when that write was acknowledged, and then makes it again', async (ctx) => {
  const site = await openSite(ctx);
  const { stage } = site;
  const sink = join(stage.area.folder, 'sink');
  const run = await site.startRun({ graph: publishTo(sink), workspace: 'none' });
  await until(() => stage.eventsOfType(run, 'run.complete').length === 1);
  const page = await site.open(`/r/${run}`);
  await page.getByRole('treeitem', { name: /look/ }).click();
  await inspectPage(page, 'run');
  const before = stage.logOf(run);

  await page.getByRole('button', { name: 'Fork here' }).click();
  const dialog = page.getByRole('dialog', { name: 'Fork at look' });
  const fork = dialog.getByRole('button', { name: 'Fork', exact: true });
  await see(dialog.getByText('1 write may be made a second time'));
  await see(dialog.getByText(`published >> '${sink}'`));
  expect(await fork.isDisabled()).toBe(true);
  await dialog.getByLabel('Title of the fork').press('Enter');
  await inspectPage(page, 'hazards');
  expect(await countRuns(stage)).toBe(1);
  expect(countLines(sink)).toBe(1);

  await dialog.getByLabel(/I read write 1 of 1/).check();
  await fork.click();
  await page.waitForURL((url) => !url.pathname.endsWith(run));
  const child = idOf(page);
  await until(() => stage.eventsOfType(child, 'run.complete').length === 1);
  await see(page.getByText('completed'));
  await see(page.getByText(/fork of/));
  expect(countLines(sink)).toBe(2);
  expect(await countRuns(stage)).toBe(2);
  const [write] = stage.eventsOfType(run, 'tool.intent').filter(({ effect }) => effect === 'write');
  expect(stage.eventsOfType(child, 'tool.intent')).toContainEqual(
    expect.objectContaining({ effect: 'write', acknowledged: write?.seq }),
  );
  expect(stage.logOf(run).equals(before)).toBe(true);
});

test('a gate is answered by the form of its schema, and the run goes on with the answer', async (ctx) => {
  const site = await openSite(ctx);
  site.expectTrouble(/status of 400/);
  const answer = {
    type: 'object',
    properties: { keep: { type: 'boolean' }, reason: { type: 'string', minLength: 3 } },
    required: ['keep', 'reason'],
  };
  const graph = {
    schema: 1,
    nodes: { ask: { kind: 'gate', question: 'Keep <b>it</b>?', answer } },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the document
    output: '${{ nodes.ask.output }}',
  };
  const run = await site.startRun({ graph, workspace: 'none' });
  const page = await site.open(`/r/${run}`);
  const gate = page.getByRole('region', { name: 'Gate ask' });
  await see(gate.getByText('Keep <b>it</b>?'));
  await inspectPage(page, 'gate');
  await gate.getByRole('radio', { name: 'Yes' }).check();
  await gate.getByLabel('reason').fill('no');
  await gate.getByRole('button', { name: 'Answer' }).click();
  await see(gate.getByRole('alert').getByText(/reason/));
  expect(site.stage.eventsOfType(run, 'gate.answer')).toEqual([]);
  await gate.getByLabel('reason').fill('it is good');
  await gate.getByRole('button', { name: 'Answer' }).click();
  await see(page.getByText('completed'));
  const [answered] = site.stage.eventsOfType(run, 'gate.answer');
  expect(answered).toMatchObject({ answer: { keep: true, reason: 'it is good' } });
});

test('the inbox holds what waits of all sessions and runs, and what is answered there goes on', async (ctx) => {
  const site = await openSite(ctx);
  const graph = { schema: 1, nodes: { sure: { kind: 'gate', question: 'Are you sure?' } } };
  const run = await site.startRun({ graph, workspace: 'none', title: 'a run that asks' });
  await until(() => site.stage.eventsOfType(run, 'gate.open').length === 1);
  const page = await site.open('/inbox');
  await see(page.getByRole('link', { name: 'a run that asks' }));
  await inspectPage(page, 'inbox');
  const gate = page.getByRole('region', { name: 'Gate sure' });
  await gate.getByRole('radio', { name: 'Yes' }).check();
  await gate.getByRole('button', { name: 'Answer' }).click();
  await see(page.getByText('Nothing waits for you'));
  await until(() => site.stage.eventsOfType(run, 'run.complete').length === 1);
});
