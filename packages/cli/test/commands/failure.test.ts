import { expect, test } from 'vitest';
import { renderFailure } from '../../src/output/failure.ts';

test('a failed call is shown with the first line of why, bounded and escaped', () => {
  const say = (value: unknown): string => renderFailure('edit_file', 'error', { type: 'error-text', value });
  expect(say('the text is not there\nmore')).toBe('edit_file: error: the text is not there');
  expect(say('\u001b[31mred')).not.toContain('\u001b');
  expect(say('x'.repeat(1000)).length).toBeLessThan(160);
});

test('a failed call without a text of its own is shown by its outcome', () => {
  expect(renderFailure('shell', 'interrupted', { type: 'json', value: { exitCode: 1 } })).toBe('shell: interrupted');
});
