import { expect, test } from 'vitest';
import { listForbiddenSkips, type Outcome, renderCounts, renderSkips } from './summary.ts';

const passed: Outcome = { name: 'a', state: 'passed' };
const failed: Outcome = { name: 'b', state: 'failed' };
const toolMissing: Outcome = { name: 'c', state: 'skipped', reason: 'tool missing: bwrap' };
const forbidden: Outcome = { name: 'd', state: 'skipped', reason: 'kernel forbids user namespaces' };
const probed: Outcome = { name: 'e', state: 'skipped', reason: 'tool missing: bwrap (kernel forbids user namespaces)' };
const silent: Outcome = { name: 'f', state: 'skipped' };

test('counts passed, failed and skipped', () => {
  expect(renderCounts([])).toBe('0 passed, 0 failed, 0 skipped');
  expect(renderCounts([passed, failed, passed, silent])).toBe('2 passed, 1 failed, 1 skipped');
});

test('tells why each test was skipped', () => {
  expect(renderSkips([passed, toolMissing, silent])).toEqual([
    'skipped: c (tool missing: bwrap)',
    'skipped: f (no reason given)',
  ]);
});

test('forbids in CI to skip for a missing tool or for no reason, but not for what the kernel forbids', () => {
  const outcomes = [passed, failed, toolMissing, forbidden, probed, silent];
  expect(listForbiddenSkips(outcomes, { ci: true })).toEqual([toolMissing, silent]);
  expect(listForbiddenSkips(outcomes, { ci: false })).toEqual([]);
});
