import { isRefusal, makeRunId, type RunId } from '@ramet/core';
import { resolveRunId, shortIdsOf } from '@ramet/core/runs';
import { expect, test } from 'vitest';

function idWith(tail: string, time = 1_700_000_000_000): RunId {
  const bytes = Uint8Array.from({ length: 10 }, (_, index) =>
    Number.parseInt(tail.slice(index * 2, index * 2 + 2), 16),
  );
  return makeRunId(time, bytes);
}

function codeOf(value: unknown): string {
  return isRefusal(value) ? value.code : 'resolved';
}

test('shows at least six digits of the random end, more where two are alike', () => {
  const [one, two, three] = [
    idWith('00000000000000abcdef'),
    idWith('00000000000011abcdef'),
    idWith('000000000000112233ff'),
  ];
  expect([...shortIdsOf([one, two, three]).values()]).toEqual(['0abcdef', '1abcdef', '2233ff']);
});

test('accepts every short id it shows, and only for its run', () => {
  const ids = Array.from({ length: 400 }, (_, index) =>
    idWith(index.toString(16).padStart(20, '0'), 1_700_000_000_000),
  );
  const short = shortIdsOf(ids);
  expect(new Set(short.values()).size).toBe(ids.length);
  for (const id of ids) expect(resolveRunId(short.get(id) ?? '', ids)).toBe(id);
});

test('accepts a whole id and any end of it, hyphens or not', () => {
  const id = idWith('0123456789abcdef0123');
  for (const text of [id, id.slice(-4), id.slice(-15), id.replaceAll('-', '').slice(-20)]) {
    expect(resolveRunId(text, [id])).toBe(id);
  }
});

test('refuses an end that two runs share, with both', () => {
  const ids = [idWith('00000000000000abcdef'), idWith('11000000000000abcdef')];
  const refusal = resolveRunId('abcdef', ids);
  expect(refusal).toMatchObject({ code: 'ambiguous_id', data: { candidates: ids } });
});

test('never takes the beginning of an id for the run', () => {
  const ids = [idWith('00000000000000abcdef'), idWith('00000000000000123456')];
  expect(codeOf(resolveRunId(ids[0]?.slice(0, 13) ?? '', ids))).toBe('ambiguous_id');
  expect(codeOf(resolveRunId(ids[0]?.slice(0, 13) ?? '', ids.slice(0, 1)))).toBe('ambiguous_id');
});

test.each([
  '../x',
  '..%2fx',
  '%2e%2e/x',
  '/etc',
  'x/../../y',
  '',
  '.',
  '-',
  '---',
  '\u0000',
  'f'.repeat(10_000),
  'ABCDEF',
  'fix build',
  'abc',
])('refuses %j as malformed', (text) => {
  expect(codeOf(resolveRunId(text, [idWith('00000000000000abcdef')]))).toBe('malformed_id');
});

test('refuses the upper case of a real id, and an id nobody has', () => {
  const id = idWith('00000000000000abcdef');
  expect(codeOf(resolveRunId(id.toUpperCase(), [id]))).toBe('malformed_id');
  expect(codeOf(resolveRunId(idWith('00000000000000abcdee'), [id]))).toBe('unknown_run');
  expect(codeOf(resolveRunId('123456', [id]))).toBe('unknown_run');
});

test('says that an id is named by its end to who types the start of a short one', () => {
  const id = idWith('00000000000000abcdef');
  const refusal = resolveRunId('abcd', [id]);
  expect(refusal).toMatchObject({ code: 'unknown_run', data: { candidates: ['abcdef'] } });
  expect(isRefusal(refusal) && refusal.message).toMatch(/named by its end; did you mean abcdef\?$/);
});
