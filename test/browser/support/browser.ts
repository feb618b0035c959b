/**
 * Debian's Chromium without a window: one for each file of tests, closed at its end.
 *
 * 1. It is never fetched: where PATH has none, tests are skipped and say so.
 */
import { type Browser, chromium } from 'playwright-core';
import { afterAll, type TestContext } from 'vitest';
import { findProgram } from '../../e2e/support/command.ts';

const NAME = 'chromium';

let browser: Promise<Browser> | undefined;

afterAll(async () => {
  await (await browser)?.close();
  browser = undefined;
});

/** Skips a test where there is no browser. */
export function skipWithoutBrowser(ctx: TestContext): void {
  if (findProgram(NAME) === undefined) ctx.skip(`tool missing: ${NAME}`);
}

/** The browser of this file of tests; started by who asks first. */
export function openBrowser(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath: findProgram(NAME) ?? NAME, args: [...sandboxArguments()] });
  return browser;
}

/** As root, Chromium refuses to run in its own sandbox; all that it opens here are pages of the very build under test. */
function sandboxArguments(): readonly string[] {
  return process.getuid?.() === 0 ? ['--no-sandbox'] : [];
}
