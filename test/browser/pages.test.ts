/** The pages beside sessions and runs: they fit every screen, and say what they have. */
import { test } from 'vitest';
import { skipWithoutSandbox } from '../e2e/support/stage.ts';
import { see } from './support/acts.ts';
import { inspectPage } from './support/look.ts';
import { openSite } from './support/site.ts';

test('usage tells what each session took', async (ctx) => {
  await skipWithoutSandbox(ctx);
  const site = await openSite(ctx);
  const { session } = await site.stage.play(null, [{ text: 'Said.', usage: { inputTokens: 1200, outputTokens: 30 } }]);
  await site.stage.ask(['title', session, 'a session that took tokens']);
  const page = await site.open('/usage');
  await see(page.getByText('a session that took tokens'));
  await inspectPage(page, 'usage');
});

test('a session that was never there is told, and so is one that is removed while it is looked at', async (ctx) => {
  await skipWithoutSandbox(ctx);
  const site = await openSite(ctx);
  site.expectTrouble(/status of 404/);
  const { session } = await site.stage.play(null, [{ text: 'Said.' }]);
  const page = await site.open(`/s/${session}`);
  await see(page.getByText('Said.'));
  await site.stage.ask(['remove', session, '--yes']);
  await see(page.getByRole('alert').getByText(/removed/));
  await page.goto(`${new URL(page.url()).origin}/s/01a00000-0000-7000-8000-000000000000`);
  await see(page.getByRole('alert').getByText(/unknown/));
});

test('an address that is none says so, and leads back', async (ctx) => {
  const site = await openSite(ctx);
  site.expectTrouble(/status of 404/);
  const page = await site.open('/no/such/page');
  await see(page.getByRole('heading', { name: 'There is no such page' }));
  await page.getByRole('link', { name: 'All sessions and runs' }).click();
  await page.waitForURL((url) => url.pathname === '/');
});
