/**
 * Looks at a page as people of many kinds do: on a telephone, a tablet and a desk, by light and dark, with a screen reader.
 *
 * 1. Pictures are artefacts: below `artifacts/`, which git ignores.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { ROOT } from '../../e2e/support/command.ts';

const PICTURES = join(ROOT, 'artifacts', 'browser');

/** Names of the pages that were looked at. */
const taken: string[] = [];

afterAll(() => {
  if (taken.length > 0) process.stdout.write(`pictures of ${taken.join(', ')}: ${PICTURES}\n`);
});

const LOOKS = [
  { width: 380, height: 800, colorScheme: 'light' },
  { width: 768, height: 1024, colorScheme: 'dark' },
  { width: 1280, height: 800, colorScheme: 'light' },
  { width: 1280, height: 800, colorScheme: 'dark' },
] as const;

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Takes a picture in each look, where the page must not scroll sideways and have no accessibility violation. */
export async function inspectPage(page: Page, name: string): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  taken.push(name);
  const before = page.viewportSize();
  for (const { width, height, colorScheme } of LOOKS) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height });
    await settle(page);
    await page.screenshot({ path: join(PICTURES, `${name}-${width}-${colorScheme}.png`) });
    expect(await page.evaluate('document.documentElement.scrollWidth'), `${name} at ${width} px`).toBeLessThanOrEqual(
      width,
    );
    expect(await findViolations(page), `${name} at ${width} px, ${colorScheme}`).toEqual([]);
  }
  if (before !== null) await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}

/** What a screen reader could not tell, or eyes not see: rule and element. */
async function findViolations(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source);
  const options = JSON.stringify({ runOnly: RULES, resultTypes: ['violations'] });
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** Waits for what a new size and other colours set off: a frame to lay out, another to paint. */
async function settle(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}
