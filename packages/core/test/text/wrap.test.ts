import { wrapLine, wrapWords } from '@ramet/core';
import { expect, test } from 'vitest';

test('breaks at blanks, and indents what follows', () => {
  expect(wrapLine('one two three four', 9)).toEqual(['one two', 'three', 'four']);
  expect(wrapLine('  one two three', 9, '    ')).toEqual(['  one two', '    three']);
});

test('keeps a line that fits, and an empty one', () => {
  expect(wrapLine('one two', 7)).toEqual(['one two']);
  expect(wrapLine('', 7)).toEqual(['']);
});

test('keeps a word that is wider than the width whole', () => {
  expect(wrapLine('in /a/long/path it', 6)).toEqual(['in', '/a/long/path', 'it']);
});

test('counts columns, not characters', () => {
  expect(wrapLine('構築 直す', 8)).toEqual(['構築', '直す']);
});

test('never breaks inside a word given as one', () => {
  expect(wrapWords(['ramet', '[--at <offset>]', 'x'], 16)).toEqual(['ramet', '[--at <offset>]', 'x']);
});
