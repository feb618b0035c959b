import { padText, parseBytes, renderAge, renderBytes, renderColumns, truncateText, widthOf } from '@ramet/core/text';
import { expect, test } from 'vitest';

test.each([
  ['abc', 3],
  ['漢字', 4],
  ['e\u0301', 1],
  ['🙂!', 3],
  ['한', 2],
])('%s is %i columns wide', (text, width) => {
  expect(widthOf(text)).toBe(width);
});

test('cuts at a width without splitting a wide character', () => {
  expect(truncateText('漢字漢字', 5)).toBe('漢字…');
  expect(truncateText('漢字漢字', 6)).toBe('漢字…');
  expect(truncateText('short', 5)).toBe('short');
  expect(padText('漢', 4)).toBe('漢  ');
});

test('aligns columns by width and cuts only the last', () => {
  const rows = [
    ['a', '漢字', 'x'.repeat(50)],
    ['bb', 'c', 'second'],
  ];
  const lines = renderColumns(rows, { width: 20 });
  expect(lines).toEqual([`a   漢字  ${'x'.repeat(9)}…`, 'bb  c     second']);
});

test('writes and reads sizes', () => {
  expect([0, 1023, 1024, 1536 * 1024, 20 * 1024 ** 3].map(renderBytes)).toEqual([
    '0 B',
    '1023 B',
    '1.0 KiB',
    '1.5 MiB',
    '20 GiB',
  ]);
  expect(['10', '1k', '1.5 MiB', '2GB', 'x', '-1', '1 q'].map(parseBytes)).toEqual([
    10,
    1024,
    1572864,
    2147483648,
    null,
    null,
    null,
  ]);
  expect([0, 61_000, 7_200_000, 90_000_000].map(renderAge)).toEqual(['0s', '1m', '2h', '1d']);
});
