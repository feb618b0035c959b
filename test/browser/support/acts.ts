/** What a person does on a session's page, by what they see. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { callShell, type Reply, type Stage } from '../../e2e/support/stage.ts';

/**
 * A turn that adds one to the file `count`, says so, and ends when the test lets it: what a later turn finds there tells
 * from which state it went on.
 */
export const COUNT_TURN: readonly Reply[] = [
  callShell(
    'n=$(($(cat count 2>/dev/null || echo 0) + 1)); echo $n > count; echo "count is $n"; until test -e go; do sleep 0.05; done; rm go',
  ),
  { text: 'Counted.' },
];

/** Lets the turn of a session end that counts. */
export function letGo(stage: Stage, session: string): void {
  writeFileSync(join(stage.workspaceOf(session), 'go'), '');
}

/** The id in the address of a page. */
export function idOf(page: Page): string {
  const [, id] = /^\/[sr]\/([0-9a-f-]{36})$/.exec(new URL(page.url()).pathname) ?? [];
  if (id === undefined) throw new Error(`no session or run is at ${page.url()}`);
  return id;
}

/** Fills in the form of a new session, and waits for its page; the session's id. */
export async function beginInPage(
  page: Page,
  { folder, model, prompt }: { readonly folder: string; readonly model: string; readonly prompt: string },
): Promise<string> {
  await page.getByRole('button', { name: 'New session' }).first().click();
  const form = page.getByRole('dialog', { name: 'New session' });
  await form.getByLabel('Folder').fill(folder);
  await form.getByLabel('What is to be done').fill(prompt);
  await form.getByLabel('Model').fill(model);
  await form.getByRole('button', { name: 'Begin' }).click();
  await page.waitForURL(/\/s\//);
  return idOf(page);
}

/** Writes a message and sends it by Enter. */
export async function say(page: Page, text: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'Message' });
  await field.fill(text);
  await field.press('Enter');
}

/** What a person said in a turn. */
export function messageOf(page: Page, turn: number): Locator {
  return page.getByRole('article', { name: `Message of turn ${turn}`, exact: true });
}

/** What the agent answered in a turn, at its end. */
export function answerIn(page: Page, turn: number): Locator {
  return page.getByRole('article', { name: `Answer in turn ${turn}`, exact: true }).last();
}

/** Waits until something is in sight, at one place at least. */
export async function see(what: Locator): Promise<void> {
  await what.first().waitFor({ state: 'visible' });
}

/** Waits until something is whole within the window, where a person sees it without scrolling. */
export async function seeWhole(what: Locator): Promise<void> {
  await what.waitFor({ state: 'visible' });
  await expect.poll(() => readPartInSight(what), { timeout: 15_000 }).toBeGreaterThan(0.95);
}

/** Of the page, where these tests have no types of it. */
declare const IntersectionObserver: new (
  seen: (entries: readonly { readonly intersectionRatio: number }[]) => void,
) => { observe(element: unknown): void; disconnect(): void };

/** The part of an element that nothing cuts off, not even a box that scrolls. */
function readPartInSight(what: Locator): Promise<number> {
  return what.evaluate(
    (element) =>
      new Promise<number>((done) => {
        const observer = new IntersectionObserver(([entry]) => {
          observer.disconnect();
          done(entry?.intersectionRatio ?? 0);
        });
        observer.observe(element);
      }),
  );
}

/** Clicks a fork control and waits for what its dialog shows; the dialog. */
export async function openFork(page: Page, control: Locator): Promise<Locator> {
  await control.click();
  const dialog = page.getByRole('dialog', { name: /^Fork/ });
  await see(dialog.getByText('The conversation comes back'));
  return dialog;
}

/** Forks by the dialog, and waits for the child's page; its id. */
export async function forkInPage(page: Page, dialog: Locator): Promise<string> {
  const parent = idOf(page);
  await dialog.getByRole('button', { name: 'Fork', exact: true }).click();
  await page.waitForURL((url) => url.pathname.startsWith('/s/') && !url.pathname.endsWith(parent));
  const child = idOf(page);
  expect(child).not.toBe(parent);
  return child;
}

/** Waits until what has the focus is named so; presses Tab to get there where `byTab` is set. */
export async function focusOn(page: Page, name: RegExp, { byTab = false } = {}): Promise<void> {
  const read =
    '(({ activeElement: at }) => at?.getAttribute("aria-label") ?? at?.labels?.[0]?.textContent ?? at?.textContent ?? "")(document)';
  for (let presses = 0; presses < MOST_TABS; presses += 1) {
    if (name.test(String(await page.evaluate(read)))) return;
    if (byTab) await page.keyboard.press('Tab');
    else await page.waitForTimeout(50);
  }
  throw new Error(`nothing named ${name} has the focus, but ${await page.evaluate(read)}`);
}

/** So often Tab leads to whatever a person can reach. */
const MOST_TABS = 100;
