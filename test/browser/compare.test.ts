/** Two sessions side by side in the browser: what parts them, and what a check says of each. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../e2e/support/daemon.ts';
import { callShell, type Stage, skipWithoutSandbox } from '../e2e/support/stage.ts';
import { see } from './support/acts.ts';
import { inspectPage } from './support/look.ts';
import { openSite, type Site } from './support/site.ts';

/** A turn that makes a file; it is said to the session by the API, as another client would. */
async function makeFile(site: Site, session: string, name: string): Promise<void> {
  const { stage } = site;
  const ended = stage.eventsOfType(session, 'session.end').length;
  const model = stage.writeScript([callShell(`echo ${name} > ${name}`), { text: `Made ${name}.` }]);
  await site.say(session, { prompt: `make ${name}`, model });
  await until(() => stage.eventsOfType(session, 'session.end').length > ended);
}

/** The project's check passes where the file `good` is. */
function nameCheck(stage: Stage): void {
  writeFileSync(join(stage.repository, 'ramet.json'), JSON.stringify({ check: 'test -e good' }));
}

test('two sessions are compared from where they part, and each is checked when that is asked for', async (ctx) => {
  await skipWithoutSandbox(ctx);
  const site = await openSite(ctx);
  site.expectTrouble(/status of 409/);
  const { stage } = site;
  nameCheck(stage);
  const left = await site.begin({ model: stage.writeScript([{ text: 'Ready.' }]) });
  await until(() => stage.eventsOfType(left, 'session.end').length === 1);
  const right = await site.fork(left);
  await makeFile(site, left, 'good');
  await makeFile(site, right, 'bad');

  const page = await site.open(`/compare/${left}/${right}`);
  await see(page.getByText('The second was forked from the first.'));
  await see(page.getByText('What both have in common: 1 turn'));
  await see(page.getByText('2 files differ'));
  await see(page.getByText('Made good.'));
  await see(page.getByText('Made bad.'));
  expect(await page.getByText('Ready.').count()).toBe(0);
  expect(await page.getByText(/Passed|Failed/).count()).toBe(0);

  const checks = page.getByRole('region', { name: "The project's check" }).getByRole('button');
  await checks.first().click();
  await page.getByRole('button', { name: 'I read it: run it this once' }).click();
  await see(page.getByText('Passed', { exact: true }));
  await checks.last().click();
  await page.getByRole('button', { name: 'I read it: run it this once' }).click();
  await see(page.getByText('Failed (status 1)'));
  await page.getByText('What both have in common').click();
  await see(page.getByText('Ready.'));
  await inspectPage(page, 'compare-checked');
});
