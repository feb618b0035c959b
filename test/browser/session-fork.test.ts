/** A session forked in the browser: at the message a person points at, idle, and independent of its parent. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../e2e/support/daemon.ts';
import { callShell, type Stage, skipWithoutSandbox } from '../e2e/support/stage.ts';
import { answerIn, beginInPage, COUNT_TURN, forkInPage, letGo, messageOf, openFork, say, see } from './support/acts.ts';
import { inspectPage } from './support/look.ts';
import { openSite } from './support/site.ts';

test('a session is forked at an earlier message while a newer turn runs, and goes another way', async (ctx) => {
  await skipWithoutSandbox(ctx);
  const site = await openSite(ctx);
  const { stage } = site;
  const page = await site.open();
  const model = stage.writeScript(COUNT_TURN);
  const parent = await beginInPage(page, { folder: stage.repository, model, prompt: 'count' });
  await see(page.getByText('count is 1'));
  await see(page.getByRole('button', { name: 'Interrupt' }));
  letGo(stage, parent);
  await see(answerIn(page, 1).getByText('Counted.'));

  await say(page, 'count on');
  await see(page.getByText('count is 2'));
  letGo(stage, parent);
  await see(answerIn(page, 2).getByText('Counted.'));

  const sink = join(stage.area.folder, 'sink');
  const leave = stage.writeScript([
    callShell(`echo sent >> ${sink}; until test -e go || ! test -d "$PWD"; do sleep 0.05; done`),
    { text: 'Sent.' },
  ]);
  const rights = { sandbox: 'none', rules: [{ tool: 'shell', do: 'allow' }] };
  await site.say(parent, { prompt: 'send it', model: leave, ...rights });
  await see(messageOf(page, 3));
  await until(() => stage.eventsOfType(parent, 'tool.intent').length === 3);
  expect(await messageOf(page, 3).getByRole('button', { name: /^Fork/ }).count()).toBe(0);

  const dialog = await openFork(page, messageOf(page, 1).getByRole('button', { name: 'Fork after turn 1' }));
  await see(dialog.getByText('The files, the index and the commits come back'));
  await see(dialog.getByText('1 write after this turn left the workspace'));
  await see(dialog.getByText(`echo sent >> ${sink}`));
  await inspectPage(page, 'fork-dialog');
  const child = await forkInPage(page, dialog);
  const [end] = stage.eventsOfType(parent, 'session.end');
  const own = stage.eventsOf(child).slice((end?.seq ?? 0) + 1);
  expect(own).toMatchObject([{ type: 'session.fork', outstanding: [{ tool: 'shell' }] }]);
  expect(inheritedLines(stage, child)).toEqual(linesThrough(stage, parent, end?.seq));
  await see(answerIn(page, 1).getByText('Counted.'));
  expect(await messageOf(page, 2).count()).toBe(0);
  await page.waitForFunction('document.activeElement?.getAttribute("aria-label") === "Message"');

  letGo(stage, parent);
  await until(() => stage.eventsOfType(parent, 'session.end').length === 3);
  const before = stage.logOf(parent);
  await page.keyboard.type('count another way');
  await page.keyboard.press('Enter');
  await see(page.getByText('count is 2'));
  letGo(stage, child);
  await see(answerIn(page, 2).getByText('Counted.'));
  expect(readFileSync(join(stage.workspaceOf(child), 'count'), 'utf8')).toBe('2\n');
  expect(stage.logOf(parent).equals(before)).toBe(true);

  await page.goBack();
  await page.waitForURL(new RegExp(parent));
  await page.getByRole('tab', { name: 'Manage' }).click();
  await page.getByRole('button', { name: 'Remove…' }).click();
  const removal = page.getByRole('dialog', { name: 'Remove' });
  await removal.getByLabel('Lose it').check();
  await removal.getByRole('button', { name: 'Remove it' }).click();
  await see(page.getByRole('treeitem').getByText(/fork of .* \(removed\)/));
  expect(await page.getByRole('treeitem').count()).toBe(1);
  await page.getByRole('treeitem').getByRole('link').click();
  await see(answerIn(page, 2).getByText('Counted.'));
  await page.reload();
  await see(answerIn(page, 1).getByText('Counted.'));
  await see(page.getByText('count another way'));
});

function linesThrough(stage: Stage, session: string, offset = -1): readonly string[] {
  return stage
    .logOf(session)
    .toString('utf8')
    .split('\n')
    .slice(0, offset + 1);
}

/** All lines but that of the fork itself. */
function inheritedLines(stage: Stage, child: string): readonly string[] {
  return stage.logOf(child).toString('utf8').trimEnd().split('\n').slice(0, -1);
}
