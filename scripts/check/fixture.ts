// Small repositories that break a rule, for the tests of the checks.

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Problem } from './source.ts';

/** Writes files, by path relative to a new folder, and answers with that folder. */
export function makeRepository(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'check-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** `file:line message` of each problem. */
export function render(problems: readonly Problem[]): string[] {
  return problems.map(({ file, line, message }) => `${file}:${line} ${message}`);
}
