import {
  deriveSessionOverview,
  type EventDraft,
  type SegmentHead,
  takenUsageOf,
  totalUsage,
  usageSpansOf,
} from '@ramet/core';
import { buildFork, buildTurn, encodeLog, makeForkSource, makeTestId } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import { turn } from './talk.ts';

const RUN = makeTestId(1);
const SESSION = makeTestId(2);
const FORK = makeTestId(3);

const TAKEN: readonly EventDraft[] = [turn('plan', { tokens: 100 }), turn('plan', { tokens: 10, prompt: 'again' })]
  .flat()
  .map(({ node: _, ...event }) => event as EventDraft);

const START: EventDraft = {
  type: 'session.start',
  schema: 1,
  id: SESSION,
  project: null,
  cwd: '',
  workspace: 'none',
  versions: {},
  forkedFrom: {
    id: RUN,
    offset: 40,
    digest: 'ab'.repeat(32) as never,
    fromNode: 'plan',
    visit: 1,
    attempt: 1,
    from: 3,
    through: TAKEN.length,
  },
};

const OWN = buildTurn({ checkpoint: null, replies: [{ text: 'x', usage: { inputTokens: 1, outputTokens: 0 } }] }, 1);
const LINES = encodeLog([START, ...TAKEN, ...OWN]);

function overviewOf(heads: readonly SegmentHead[]) {
  const overview = deriveSessionOverview(heads);
  if (overview === null) throw new Error('the log starts a session');
  return overview;
}

describe('what a session took of a node', () => {
  it('is inherited, wherever segments are cut after it', () => {
    for (let cut = TAKEN.length + 1; cut <= LINES.length; cut += 1) {
      const source = makeForkSource(LINES, cut === LINES.length ? [] : [cut]);
      const overview = overviewOf(source.heads);
      expect(overview).toMatchObject({
        id: SESSION,
        forkedFrom: { id: RUN, offset: 40, fromNode: 'plan' },
        ownFrom: TAKEN.length + 1,
        turns: 3,
        ownTurns: 1,
        own: { inputTokens: 1, replies: 1 },
        inherited: { inputTokens: 110, replies: 2 },
      });
      expect(takenUsageOf(source).inputTokens).toBe(110);
      expect(totalUsage(usageSpansOf(source)).total).toMatchObject({ inputTokens: 1, replies: 1 });
    }
  });

  it('is nobody’s own doing in a fork, at a turn of its own or one it took', () => {
    const spans = [1, 2, 3].flatMap((turns) => {
      const at = LINES.flatMap(({ event }, offset) => (event.type === 'session.end' ? [offset] : []))[turns - 1] ?? 0;
      const lines = buildFork(LINES, { id: FORK, at });
      const source = makeForkSource(lines);
      const { own, inherited, forkedFrom, ownFrom } = overviewOf(source.heads);
      expect(own.replies).toBe(0);
      expect(inherited.replies).toBe(turns);
      expect(forkedFrom).toMatchObject({ id: SESSION, offset: at });
      expect(forkedFrom).not.toHaveProperty('fromNode');
      expect(ownFrom).toBe(at + 1);
      expect(takenUsageOf(source).replies).toBe(Math.min(turns, 2));
      return usageSpansOf(source);
    });
    expect(totalUsage(spans).total).toMatchObject({ inputTokens: 1, replies: 1 });
  });
});
