import { escapeJson, escapeLine, escapeText, renderJson } from '@ramet/core/text';
import fc from 'fast-check';
import { expect, test } from 'vitest';

// biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be printed
const FORBIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/;

test.each([
  ['\u001b[?1049h', '\\x1b[?1049h'],
  ['\u009b31m', '\\x9b31m'],
  ['bell\u0007', 'bell\\x07'],
  ['a\u202eb', 'a\\u202eb'],
  ['a\u200bb', 'a\\u200bb'],
  ['tag\u{e0041}', 'tag\\u{e0041}'],
  ['\ud800', '\\ud800'],
  ['plain é 漢 🙂', 'plain é 漢 🙂'],
])('shows %j as text that no terminal acts on', (given, shown) => {
  expect(escapeText(given)).toBe(shown);
  expect(escapeLine(given)).toBe(shown);
});

test('keeps newlines and tabs in text and shows them in a line', () => {
  expect(escapeText('a\r\nb\tc\rd')).toBe('a\nb\tc\\rd');
  expect(escapeLine('a\r\nb\tc')).toBe('a\\r\\nb\\tc');
});

test('never lets a control through, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(escapeText(text)).not.toMatch(FORBIDDEN);
      expect(escapeLine(text)).not.toMatch(/[\n\t]/);
      expect(renderJson({ text })).not.toMatch(FORBIDDEN);
    }),
  );
});

test('renders JSON that parses back to the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(renderJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      expect(JSON.parse(escapeJson(JSON.stringify({ value }, null, 2)))).toEqual(JSON.parse(JSON.stringify({ value })));
    }),
  );
});
