import { expect, test } from 'vitest';
import { parseSeconds, parseTitle } from '../../src/routes/parse.ts';
import { parseRule } from '../../src/routes/rules.ts';

test.each([
  ['600', 600],
  ['0.5', 0.5],
  ['90s', 90],
  ['10m', 600],
  ['1.5h', 5400],
])('takes %s for %d seconds', (text, seconds) => {
  expect(parseSeconds(text)).toBe(seconds);
});

test.each(['', '0', '-1', '1d', 'm', '1 m', '1e3'])('refuses "%s" as a time, and says what is one', (text) => {
  expect(() => parseSeconds(text)).toThrow('expected seconds or a time such as 10m or 1h');
});

test('takes a title of at most 200 characters, without the blanks around it', () => {
  expect(parseTitle(`  ${'a'.repeat(200)}\n`)).toBe('a'.repeat(200));
  expect(() => parseTitle('a'.repeat(201))).toThrow('expected at most 200 characters, found 201');
  expect(() => parseTitle(' \n')).toThrow('expected a text');
});

test.each([
  ['shell', { tool: 'shell' }],
  ['shell:git push*', { tool: 'shell', match: 'git push*' }],
  ['*', { tool: '*' }],
  ['mcp__mail__*', { tool: 'mcp__mail__*' }],
  ['mcp__mail__send:*"to":"ada"*', { tool: 'mcp__mail__send', match: '*"to":"ada"*' }],
])('takes %s for a rule', (text, rule) => {
  expect(parseRule(text)).toEqual(rule);
});

test.each(['', ':x', 'a b', '**', '*a', 'a*b', 'shell:'])('refuses "%s" as a rule', (text) => {
  expect(() => parseRule(text)).toThrow(/expected/);
});
