import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../../src/graph/index.ts';

function test(pattern: string, text: string): boolean {
  const compiled = compilePattern(pattern);
  if (compiled.kind === 'broken') throw new Error(compiled.message);
  return compiled.test(text);
}

const TEXTS = [
  '',
  'a',
  'b',
  'ab',
  'aab',
  'abab',
  'a b',
  'A1_-',
  '12',
  'a\nb',
  '\u{1F600}',
  'x\u{1F600}y',
  'é',
  '.',
  ']',
  '^',
  '\u2028',
];

/** Patterns of the syntax there is, from parts that the engine of JavaScript knows too. */
const patterns = fc.letrec<{ pattern: string; atom: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4 },
    tie('atom'),
    fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => left + right),
    fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(${left}|${right})`),
    fc
      .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,}', '{0,2}', '*?', '+?'))
      .map(([part, count]) => `(?:${part})${count}`),
  ),
  atom: fc.constantFrom(
    'a',
    'b',
    '1',
    '_',
    '-',
    ' ',
    '.',
    '\\d',
    '\\D',
    '\\w',
    '\\W',
    '\\s',
    '\\S',
    '[ab]',
    '[^ab]',
    '[a-z0-9]',
    '[\\w-]',
    '[^\\W1]',
    '\\.',
    '\\]',
    '\\u00e9',
    '\\x61',
    '^',
    '$',
    '\\b',
    '\\B',
    '',
    '\u{1F600}',
    '[\u{1F600}]',
  ),
}));

describe('a pattern', () => {
  it('matches what the same one of JavaScript matches', () => {
    fc.assert(
      fc.property(
        patterns.pattern,
        fc.oneof(fc.constantFrom(...TEXTS), fc.string({ maxLength: 8 })),
        (pattern, text) => {
          const wellFormed = text.toWellFormed();
          // V8 looks for \B between the two halves of a character, too.
          fc.pre(!pattern.includes('\\B') || !/[\u{10000}-\u{10ffff}]/u.test(wellFormed));
          expect([pattern, wellFormed, test(pattern, wellFormed)]).toEqual([
            pattern,
            wellFormed,
            new RegExp(pattern, 'u').test(wellFormed),
          ]);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['(a+)\\1', "'\\1' is not part of these patterns, at character 6"],
    ['a(?=b)', "of groups there are '(…)' and '(?:…)': no lookaround, names or flags, at character 3"],
    ['(?<!a)b', "of groups there are '(…)' and '(?:…)': no lookaround, names or flags, at character 2"],
    ['(?i)a', "of groups there are '(…)' and '(?:…)': no lookaround, names or flags, at character 2"],
    ['\\p{L}', "'\\p' is not part of these patterns, at character 2"],
    ['(a', "'(' without ')', at character 2"],
    ['a)', "')' without '(', at character 1"],
    ['[a', "'[' without ']', at character 2"],
    ['a**', 'nothing to repeat, at character 3'],
    ['*', "a plain '*' is written '\\*', at character 1"],
    ['a{2,1}', 'a count is {2}, {2,} or {2,5}, at character 6'],
    ['[z-a]', 'a range in a class goes up, from one character to one, at character 4'],
    ['a\\', "'\\' is not part of these patterns, at character 2"],
    ['(?:(?:a{99}){99}){99}', 'the pattern has more than 1000 steps'],
    ['('.repeat(100), 'groups are nested too deep, at character 51'],
  ])('%s is refused', (pattern, message) => {
    expect(compilePattern(pattern)).toEqual({ kind: 'broken', message });
  });

  it('is soon read, whatever it repeats', () => {
    expect(test('(?:(?:(?:){99999}){99999}){99999}a', 'a')).toBe(true);
  });

  it.each(['(a+)+b', '(a|a)*b', '(a|aa)+$', 'a*a*a*a*b', '(.*)(.*)(.*)x', '(a?){50}b'])(
    '%s looks at no character of a long text twice: the work grows with the text alone',
    (pattern) => {
      const text = 'a'.repeat(20_000);
      expect(test(pattern, text)).toBe(pattern === '(a|aa)+$');
      expect(test(pattern, `${text}bx`)).toBe(pattern !== '(a|aa)+$');
    },
  );
});
