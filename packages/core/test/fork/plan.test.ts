import { isRefusal, planFork, type Refusal } from '@ramet/core';
import { buildConfig, buildFork, buildSession, buildTurn, encodeLog, makeForkSource, makeTestId } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';

const LINES = encodeLog(
  buildSession({ title: 'T', cwd: 'sub', turns: [{}, { checkpoint: null, reason: 'failed' }, { open: true }] }),
);
const ENDS = LINES.flatMap(({ event }) => (event.type === 'session.end' ? [event.seq] : []));

function refusalOf(lines: typeof LINES, at?: number): Refusal {
  const plan = planFork(makeForkSource(lines), at === undefined ? {} : { at });
  if (!isRefusal(plan)) throw new Error('the fork was planned');
  return plan;
}

describe('a fork', () => {
  it('is planned at the latest completed turn when none is named, also while another turn is open', () => {
    expect(planFork(makeForkSource(LINES), { title: 'Child' })).toMatchObject({
      source: makeTestId(1),
      boundary: { offset: ENDS[1], reason: 'failed', checkpoint: null },
      prefix: { events: (ENDS[1] ?? 0) + 1 },
      outstanding: [],
      cwd: 'sub',
      project: 'project-1',
      workspace: 'git',
      title: 'Child',
    });
  });

  it('is planned at each completed turn that is named', () => {
    expect(planFork(makeForkSource(LINES), { at: ENDS[0] ?? -1 })).toMatchObject({
      boundary: { offset: ENDS[0], reason: 'completed', checkpoint: 'checkpoint-1' },
    });
  });

  it('of a fork names the fork, also at a turn the fork inherited', () => {
    const child = encodeLog(buildTurn({}, 3), buildFork(LINES, { id: makeTestId(2) }));
    const planned = ENDS.map((at) => planFork(makeForkSource(child), { at }));
    expect(planned).toMatchObject(ENDS.map((offset) => ({ source: makeTestId(2), boundary: { offset } })));
  });

  it('takes the segments before the boundary whole and one in part', () => {
    const cut = (ENDS[0] ?? 0) - 1;
    const source = makeForkSource(LINES, [2, cut]);
    const plan = planFork(source, { at: ENDS[0] ?? -1 });
    if (isRefusal(plan)) throw new Error(plan.message);
    const bytesOf = (from: number, to: number) =>
      LINES.slice(from, to).reduce((total, line) => total + line.bytes.length + 1, 0);
    expect(plan.segment).toBe(2);
    expect(plan.prefix.segmentBytes).toBe(bytesOf(cut, cut + 2));
    expect(plan.prefix.bytes).toBe(bytesOf(0, cut + 2));
  });
});

describe('a fork is refused', () => {
  it.each([-1, 0, 3, (ENDS[0] ?? 0) + 1, 10_000, 2.5, Number.NaN])(
    'at offset %s, with the offsets that would do',
    (at) => {
      const refusal = refusalOf(LINES, at);
      expect(refusal).toMatchObject({ code: 'not_a_boundary', data: { boundaries: ENDS } });
      expect(refusal.message).toContain(ENDS.join(', '));
    },
  );

  it('with the last fifty offsets that would do when there are more', () => {
    const many = encodeLog(buildSession({ turns: Array.from({ length: 60 }, () => ({})) }));
    const { message, data } = refusalOf(many, 1);
    expect(message).toMatch(/\(and 10 earlier ones\)$/);
    expect(data.boundaries).toHaveLength(60);
  });

  it('when no turn was completed', () => {
    expect(refusalOf(encodeLog(buildSession({ turns: [{ open: true }] })))).toMatchObject({
      code: 'no_completed_turn',
    });
  });

  it('when the log starts no session', () => {
    expect(refusalOf(encodeLog(buildTurn({}, 1)))).toMatchObject({ code: 'not_a_session' });
    expect(isRefusal(planFork({ ...makeForkSource(LINES), heads: [] }, {}))).toBe(true);
  });

  it('when the log was written by a newer version', () => {
    const newer = encodeLog([{ ...buildConfig('m'), schema: 2 } as ReturnType<typeof buildConfig>], LINES);
    expect(refusalOf(newer)).toMatchObject({ code: 'log_newer', data: { schema: 2 } });
  });
});
