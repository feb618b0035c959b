/** Hears what goes wrong in a page, and what it asks of whom. */
import type { ConsoleMessage, Page } from 'playwright-core';

/** What a page did that no page should. */
export interface Watch {
  /** Errors on the console, exceptions, requests that failed or left the origin, dialogs; each in one line. */
  readonly troubles: readonly string[];
}

/** Violations of the content security policy are errors on the console, too, but not of every kind. */
const TELL_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) =>
  console.error('policy violated: ' + event.violatedDirective + ' ' + event.blockedURI))`;

/** Watches a page from before its first document on. */
export async function watchPage(page: Page, origin: string): Promise<Watch> {
  const troubles: string[] = [];
  await page.addInitScript(TELL_VIOLATIONS);
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(renderMessage(message));
  });
  page.on('pageerror', (error) => troubles.push(`exception: ${error.message}`));
  page.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    const isLocal = url.origin === origin || url.protocol === 'blob:' || url.protocol === 'data:';
    if (!isLocal) troubles.push(`left the origin: ${request.url()}`);
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    // Whoever leaves a page ends the streams it followed.
    if (reason !== 'net::ERR_ABORTED') troubles.push(`request failed (${reason}): ${request.url()}`);
  });
  return { troubles };
}

function renderMessage(message: ConsoleMessage): string {
  return `console: ${message.text()} (${message.location().url})`;
}
