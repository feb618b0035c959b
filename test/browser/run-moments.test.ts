/** A run looked at as it was, and two sessions side by side, in the browser. */
import { expect, test } from 'vitest';
import { until } from '../e2e/support/daemon.ts';
import { see } from './support/acts.ts';
import { inspectPage } from './support/look.ts';
import { openSite } from './support/site.ts';

test('a run is shown as it was after any event, and is back at now by one click', async (ctx) => {
  const site = await openSite(ctx);
  const { stage } = site;
  const program = { kind: 'tool', exec: { command: 'echo 1', sandbox: false }, effect: 'read' };
  const graph = {
    schema: 1,
    nodes: { each: { kind: 'map', over: 'input', body: { nodes: { work: program } } }, last: program },
    edges: [{ from: 'each', to: 'last' }],
  };
  const run = await site.startRun({ graph, input: [1, 2, 3], workspace: 'none' });
  await until(() => stage.eventsOfType(run, 'run.complete').length === 1);
  const [entered] = stage.eventsOfType(run, 'node.enter').filter(({ node }) => node === 'each[1]/work');
  const page = await site.open(`/r/${run}`);
  const last = page.getByRole('treeitem', { name: /^last/ });
  await see(last.getByText('done'));

  await page.getByRole('slider', { name: 'Moment of the run' }).fill(String(entered?.seq));
  await see(page.getByText('as it was'));
  await see(page.getByText('now:', { exact: true }));
  await see(last.getByText('not reached'));
  const map = page.getByRole('treeitem', { name: /^each/ });
  await see(map.getByText('1 of 3 items'));
  await page.getByRole('tree').press('ArrowRight');
  await see(page.getByRole('treeitem', { name: /^item 1/ }).getByText('at work'));
  await see(page.getByRole('treeitem', { name: /^item 2/ }).getByText('not reached'));
  await inspectPage(page, 'run-as-it-was');

  await page.getByRole('button', { name: 'Back to now' }).click();
  await see(last.getByText('done'));
  await see(map.getByText('3 of 3 items'));
  expect(await page.getByText('as it was').count()).toBe(0);
  expect(await page.getByText('now:', { exact: true }).count()).toBe(0);
});
