import type { Row } from '../../src/data/rows.ts';

const NO_USAGE = {
  replies: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  unknownUsage: 0,
  unknownCost: 0,
};

/** A row; `from` is its parent, and the offset it was forked at. */
export function makeRow(id: string, { from, ...more }: Partial<Row> & { from?: readonly [string, number] } = {}): Row {
  return {
    kind: 'session',
    id,
    title: `title of ${id}`,
    state: 'idle',
    project: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    lastTime: '2026-01-01T00:00:00.000Z',
    own: NO_USAGE,
    inherited: NO_USAGE,
    ownBytes: 0,
    progress: '1 turn',
    ...(from === undefined ? {} : { origin: { id: from[0], offset: from[1], isRemoved: false } }),
    ...more,
  };
}
