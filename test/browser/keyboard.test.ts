/** Everything of the main job by keys alone, and what the pages look like. */
import { expect, test } from 'vitest';
import { skipWithoutSandbox } from '../e2e/support/stage.ts';
import { answerIn, focusOn, idOf, messageOf, see } from './support/acts.ts';
import { inspectPage } from './support/look.ts';
import { openSite } from './support/site.ts';

test('from the list to a session, to a fork of it, to its first message: without a mouse', async (ctx) => {
  await skipWithoutSandbox(ctx);
  const site = await openSite(ctx);
  const { session } = await site.stage.play(null, [{ text: 'The first answer.' }]);
  const page = await site.open();
  await see(page.getByRole('treeitem'));
  await focusOn(page, /^Sessions and runs$/, { byTab: true });
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/s\//);
  expect(idOf(page)).toBe(session);
  await see(answerIn(page, 1));
  await focusOn(page, /^Fork after turn 1$/, { byTab: true });
  await page.keyboard.press('Enter');
  await see(page.getByText('The conversation comes back'));
  await focusOn(page, /^Title of the fork/, { byTab: true });
  await page.keyboard.type('by keys');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => !url.pathname.endsWith(session));
  await focusOn(page, /^Message$/);
  await page.keyboard.type('on we go');
  await page.keyboard.press('Enter');
  await see(messageOf(page, 2).getByText('on we go'));
  await see(answerIn(page, 2));
  await see(page.getByRole('heading', { name: 'by keys' }));
  expect(site.stage.eventsOfType(idOf(page), 'message')).toHaveLength(2);
});

test('Escape closes a fork that was not meant, and the focus is where it was', async (ctx) => {
  await skipWithoutSandbox(ctx);
  const site = await openSite(ctx);
  const { session } = await site.stage.play(null, [{ text: 'Said.' }]);
  const page = await site.open(`/s/${session}`);
  await see(answerIn(page, 1));
  await page.getByRole('textbox', { name: 'Message' }).fill('/fork');
  await page.keyboard.press('Enter');
  await see(page.getByRole('dialog', { name: 'Fork after turn 1' }));
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await focusOn(page, /^Message$/);
  expect(await site.stage.ask(['sessions'])).toMatchObject({ sessions: [{ id: session }] });
});

test('lists and sessions fit a telephone, in light and dark, and a screen reader can tell them', async (ctx) => {
  await skipWithoutSandbox(ctx);
  const site = await openSite(ctx);
  const wide = `| a | b |\n| --- | --- |\n| ${'wide '.repeat(40)} | \`${'x'.repeat(300)}\` |\n\n\`\`\`\n${'long line '.repeat(60)}\n\`\`\`\n`;
  const edit = {
    toolCalls: [{ name: 'write_file', input: { path: `${'deep/'.repeat(30)}file.txt`, content: 'one\ntwo\n' } }],
  };
  const { session } = await site.stage.play(null, [edit, { text: wide }]);
  await site.stage.ask(['title', session, `A title that is ${'very '.repeat(30)}long`]);
  await site.stage.fork(await site.stage.fork(session));
  const page = await site.open();
  await see(page.getByRole('treeitem').nth(2));
  await inspectPage(page, 'list');
  await page.getByRole('button', { name: 'New session' }).click();
  await see(page.getByRole('dialog', { name: 'New session' }));
  await inspectPage(page, 'new-session');
  await page.goto(`${new URL(page.url()).origin}/s/${session}`);
  await see(answerIn(page, 1));
  await see(page.getByRole('table'));
  await page.getByRole('button', { name: /write_file/ }).click();
  await inspectPage(page, 'session');
});
