import { expect, test } from 'vitest';
import { timeLimitOf } from '../../src/graph/drive/start-work.ts';

test('a program has ten minutes unless its document says otherwise; other nodes have no limit of their own', () => {
  const program = { kind: 'tool', exec: { command: 'true' } } as const;
  expect(timeLimitOf(program)).toBe(600_000);
  expect(timeLimitOf({ ...program, timeoutMs: 5 })).toBe(5);
  expect(timeLimitOf({ ...program, timeoutMs: 3_600_000 })).toBe(3_600_000);
  expect(timeLimitOf({ kind: 'tool', tool: 'shell' })).toBe(undefined);
  expect(timeLimitOf({ kind: 'agent' })).toBe(undefined);
});
