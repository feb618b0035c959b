import type { Usage } from '@ramet/client';
import { describe, expect, it } from 'vitest';
import { listUsage, renderCounted } from '../../src/usage/rows.ts';

function makeUsage(replies: number, change: Partial<Usage> = {}): Usage {
  const none = { cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0, unknownUsage: 0, unknownCost: 0 };
  return { replies, inputTokens: replies * 1000, outputTokens: replies, ...none, ...change };
}

describe('the table of usage', () => {
  it('holds whoever has replies, also inherited ones and those of removed runs, the most first', () => {
    const rows = listUsage({
      total: makeUsage(9),
      sessions: [
        { id: 'a', title: 'A', own: makeUsage(1), inherited: makeUsage(0) },
        { id: 'b', title: 'B', own: makeUsage(0), inherited: makeUsage(2) },
        { id: 'c', title: 'C', own: makeUsage(0), inherited: makeUsage(0) },
      ],
      runs: [{ id: 'r', title: '', own: makeUsage(5), inherited: makeUsage(0) }],
      removed: [{ id: 'x', usage: makeUsage(3) }],
      incomplete: [],
    });
    expect(rows.map(({ id, kind }) => `${kind} ${id}`)).toEqual(['run r', 'removed x', 'session a', 'session b']);
  });

  it('shows what is not known as not known, never as nothing', () => {
    expect(renderCounted(makeUsage(2), 'inputTokens')).toBe('2,000');
    expect(renderCounted(makeUsage(2, { unknownUsage: 1 }), 'inputTokens')).toBe('2,000 + ?');
    expect(renderCounted(makeUsage(2, { unknownUsage: 2, outputTokens: 0 }), 'outputTokens')).toBe('?');
    expect(renderCounted(makeUsage(0), 'outputTokens')).toBe('–');
  });
});
