/** A session as it happens: what is asked, stopped, reloaded, and gone on with by another daemon. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderWire, startModelEndpoint } from '@ramet/testkit/models';
import { expect, test } from 'vitest';
import { until } from '../e2e/support/daemon.ts';
import { callShell, skipWithoutSandbox } from '../e2e/support/stage.ts';
import { answerIn, COUNT_TURN, letGo, messageOf, openFork, say, see, seeWhole } from './support/acts.ts';
import { inspectPage } from './support/look.ts';
import { openSite } from './support/site.ts';

const ASK = [{ tool: 'shell', do: 'ask' }];

test('calls that ask wait in the page: one is allowed, the other denied, and both are recorded', async (ctx) => {
  await skipWithoutSandbox(ctx);
  const site = await openSite(ctx);
  const model = site.stage.writeScript([callShell('echo first'), callShell('echo second'), { text: 'All done.' }]);
  const session = await site.begin({ model, rules: ASK });
  const page = await site.open(`/s/${session}`);
  const question = page.getByRole('region', { name: 'shell asks for permission' });
  await see(question.getByText('echo first'));
  await see(page.getByRole('link', { name: /Inbox 1 waiting/ }));
  await inspectPage(page, 'approval');
  await question.getByRole('button', { name: 'Allow once' }).click();
  await see(question.getByText('echo second'));
  await question.getByRole('button', { name: 'Deny' }).click();
  await see(answerIn(page, 1).getByText('All done.'));
  expect(await question.count()).toBe(0);
  const outcomes = site.stage.eventsOfType(session, 'tool.result').map(({ outcome }) => outcome);
  expect(outcomes).toEqual(['ok', 'denied']);
});

test('an answer is shown as it streams, also to who comes late, and interrupting it leaves a session that goes on', async (ctx) => {
  const endpoint = await startModelEndpoint([
    renderWire('anthropic', { text: 'Ready.' }),
    { body: renderWire('anthropic', { text: 'Half of an answer, and the rest' }).body.slice(0, 3), end: 'hang' },
    renderWire('anthropic', { text: 'Going on.' }),
  ]);
  ctx.onTestFinished(() => endpoint.close());
  const site = await openSite(ctx, { env: { ANTHROPIC_API_KEY: 'sk-loopback-0123456789abcdef' } });
  const model = { model: 'anthropic/claude-sonnet-4-5', baseUrl: endpoint.url };
  const session = await site.begin({ ...model, workspace: 'none' });
  const page = await site.open(`/s/${session}`);
  await see(answerIn(page, 1).getByText('Ready.'));
  await say(page, 'tell me');
  await see(page.getByText(/^Half of an/));
  await page.reload();
  await see(page.getByText(/^Half of an/));
  await page.getByRole('button', { name: 'Interrupt' }).click();
  await see(page.getByText('turn 2 interrupted'));
  expect(site.stage.eventsOfType(session, 'session.end').at(-1)).toMatchObject({ reason: 'interrupted' });
  await see(page.getByText('It was stopped. Send a message to go on from here.'));
  await say(page, 'go on');
  await see(answerIn(page, 3).getByText('Going on.'));
});

test('a page that is loaded again and again while a turn runs shows every step once, in order', async (ctx) => {
  await skipWithoutSandbox(ctx);
  const site = await openSite(ctx);
  const steps = Array.from({ length: 8 }, (_, index) => `step-${index}`);
  const calls = steps.map((step) => callShell(`echo ${step}; until test -e go-${step}; do sleep 0.02; done`));
  const session = await site.begin({ model: site.stage.writeScript([...calls, { text: 'Every step.' }]) });
  const page = await site.open(`/s/${session}`);
  await page.setViewportSize({ width: 1280, height: 2000 });
  for (const [index, step] of steps.entries()) {
    await see(page.getByText(`echo ${step};`));
    if (index % 3 === 1) await page.reload();
    writeFileSync(join(site.stage.workspaceOf(session), `go-${step}`), '');
    if (index % 3 === 2) await page.reload();
  }
  await see(answerIn(page, 1).getByText('Every step.'));
  const shown = await page
    .getByRole('region', { name: 'Transcript' })
    .getByText(/^echo step-\d;/)
    .allTextContents();
  expect(shown.map((text) => /step-\d/.exec(text)?.[0])).toEqual(steps);
});

test('a daemon that is killed is told as offline, and the next one goes on where it was', async (ctx) => {
  await skipWithoutSandbox(ctx);
  const site = await openSite(ctx);
  site.expectTrouble(/ERR_(CONNECTION|INCOMPLETE|NETWORK|EMPTY|SOCKET)/);
  const session = await site.begin({ model: site.stage.writeScript(COUNT_TURN) });
  const page = await site.open(`/s/${session}`);
  await see(page.getByRole('button', { name: /^shell .* running$/ }));
  await site.daemon.stop('SIGKILL');
  await see(page.getByText('offline, trying again'));
  await page.getByRole('textbox', { name: 'Message' }).fill('written while it was away');
  await site.restart();
  await page.getByText('offline, trying again').waitFor({ state: 'hidden' });
  letGo(site.stage, session);
  await see(answerIn(page, 1).getByText('Counted.'));
  expect(await messageOf(page, 1).count()).toBe(1);
  await page.keyboard.press('Enter');
  await see(messageOf(page, 2).getByText('written while it was away'));
  await until(() => site.stage.eventsOfType(session, 'tool.intent').length === 2);
  letGo(site.stage, session);
  await see(answerIn(page, 2).getByText('Counted.'));
});

test('a fork that is clicked twice on a slow network makes one child', async (ctx) => {
  await skipWithoutSandbox(ctx);
  const site = await openSite(ctx);
  const { session } = await site.stage.play(null, [{ text: 'Said.' }]);
  const page = await site.open(`/s/${session}`);
  await page.route(/\/fork$/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    await route.continue();
  });
  const dialog = await openFork(page, messageOf(page, 1).getByRole('button', { name: 'Fork after turn 1' }));
  await dialog.getByRole('button', { name: 'Fork', exact: true }).dblclick({ noWaitAfter: true });
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => !url.pathname.endsWith(session));
  const { sessions } = (await site.stage.ask(['sessions'])) as { readonly sessions: readonly unknown[] };
  expect(sessions).toHaveLength(2);
});

test('the transcript follows what is said, leaves alone who reads further up, and always shows what is asked', async (ctx) => {
  await skipWithoutSandbox(ctx);
  const site = await openSite(ctx);
  const long = `${Array(60).fill('A line.').join('\n\n')}\n\nThe last line.`;
  const waits = callShell('until test -e go; do sleep 0.02; done; rm go');
  const model = site.stage.writeScript([waits, callShell('echo asked'), { text: long }]);
  const session = await site.begin({ model, rules: [{ tool: 'shell', match: 'echo*', do: 'ask' }] });
  const page = await site.open(`/s/${session}`);
  const transcript = page.getByRole('region', { name: 'Transcript' });
  const allow = page.getByRole('button', { name: 'Allow once' });
  letGo(site.stage, session);
  await allow.click();
  await seeWhole(page.getByText('The last line.'));
  await transcript.press('Home');
  await seeWhole(messageOf(page, 1));
  await say(page, 'second');
  await seeWhole(messageOf(page, 2));
  await transcript.press('Home');
  await seeWhole(messageOf(page, 1));
  letGo(site.stage, session);
  await seeWhole(allow);
  await seeWhole(messageOf(page, 1));
  await allow.click();
  await allow.waitFor({ state: 'hidden' });
  await seeWhole(messageOf(page, 1));
  await page.getByRole('button', { name: /^New below/ }).click();
  await seeWhole(answerIn(page, 2).getByText('The last line.'));
});
