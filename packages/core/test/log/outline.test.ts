import {
  createOutliner,
  deriveSessionOverview,
  isRefusal,
  parseLine,
  planFork,
  type SegmentHead,
  type SegmentOutline,
  type SessionOverview,
  ZERO_DIGEST,
} from '@ramet/core';
import {
  boundariesOf,
  buildFork,
  buildSession,
  buildTurn,
  cutLog,
  encodeLog,
  makeForkSource,
  makeTestId,
  outlineLog,
} from '@ramet/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

function overviewOf(heads: readonly SegmentHead[]): SessionOverview | null {
  const overview = deriveSessionOverview(heads);
  // Positions count from the start of a segment, and so depend on the cuts.
  return overview === null ? null : { ...overview, ...withoutPosition(overview.lastBoundary) };
}

function withoutPosition(mark: SessionOverview['lastBoundary']): Pick<SessionOverview, 'lastBoundary'> {
  return mark === undefined ? {} : { lastBoundary: { ...mark, position: 0 } };
}

describe('however a log is cut into segments', () => {
  it('its overview is the same', () => {
    fc.assert(
      fc.property(cutLog, ({ lines, cuts }) => {
        const whole = overviewOf(outlineLog(lines).map(({ head }) => head));
        const cut = overviewOf(outlineLog(lines, cuts).map(({ head }) => head));
        expect(cut).toEqual(whole);
        expect(cut).not.toBeNull();
      }),
    );
  });

  it('every fork of it is planned the same', () => {
    fc.assert(
      fc.property(cutLog, ({ lines, cuts }) => {
        for (const at of boundariesOf(lines)) {
          expect(planOf(makeForkSource(lines, cuts), at)).toEqual(planOf(makeForkSource(lines), at));
        }
      }),
    );
  });

  it('the bytes of a fork are those of its lines', () => {
    fc.assert(
      fc.property(cutLog, ({ lines, cuts }) => {
        for (const at of boundariesOf(lines)) {
          const bytes = lines.slice(0, at + 1).reduce((total, line) => total + line.bytes.length + 1, 0);
          expect(planOf(makeForkSource(lines, cuts), at).prefix).toEqual({ events: at + 1, bytes });
        }
      }),
    );
  });
});

function planOf(source: ReturnType<typeof makeForkSource>, at: number) {
  const plan = planFork(source, { at });
  if (isRefusal(plan)) throw new Error(plan.message);
  const { boundary, prefix, segment, ...rest } = plan;
  expect(source.heads[segment]?.first).toBeLessThanOrEqual(at);
  const { offset, bytes, reason, checkpoint } = boundary;
  return {
    ...rest,
    boundary: { offset, bytes, reason, checkpoint },
    prefix: { events: prefix.events, bytes: prefix.bytes },
  };
}

describe('an outline', () => {
  const digest = 'ab'.repeat(32);
  const reference = `{"$blob":"${digest}","bytes":3,"encoding":"utf8"}`;

  it.each([
    ['a payload', reference, 1],
    ['a payload whose key is written with escapes', reference.replace('$bl', '\\u0024\\u0062l'), 1],
    ['a payload in a list of a literal', `{"$literal":{"a":[${reference}]}}`, 1],
    ['an object of a user that looks like one', `{"$literal":${reference}}`, 0],
    ['a text that has one in it', JSON.stringify(reference), 0],
    ['escapes', '"\\u001b[31m"', 0],
    ['a plain text', '"$"', 0],
  ])('is the same with the text of its lines at hand: %s', (_, value, payloads) => {
    const text = `{"seq":0,"prev":"${ZERO_DIGEST}","time":"","type":"later.event","field":${value}}`;
    expect(outlineOf(text, { text })).toEqual(outlineOf(text, {}));
    expect(outlineOf(text, { text }).detail.payloads).toHaveLength(payloads);
  });
});

/** The outline of one line. */
function outlineOf(line: string, atHand: { readonly text?: string }): SegmentOutline {
  const event = parseLine(line);
  if (typeof event === 'string') throw new Error(event);
  const outliner = createOutliner(0, ZERO_DIGEST);
  outliner.add({ event, position: 0, bytes: line.length, ...atHand });
  return outliner.finish(ZERO_DIGEST);
}

describe('an overview', () => {
  const overview = (lines: Parameters<typeof outlineLog>[0]) =>
    deriveSessionOverview(outlineLog(lines).map(({ head }) => head));
  const parent = encodeLog([...buildSession({ title: 'First', turns: [{}, {}] })]);

  it('of a child counts its own turns and usage from the fork on', () => {
    const spent = { replies: [{ usage: { inputTokens: 3, outputTokens: 1 } }] };
    const lines = encodeLog(buildSession({ turns: [spent, spent] }));
    const child = encodeLog(buildTurn(spent, 3), buildFork(lines, { id: makeTestId(2) }));
    expect(overview(child)).toMatchObject({
      id: makeTestId(2),
      forkedFrom: { id: makeTestId(1), offset: lines.length - 1, digest: lines.at(-1)?.digest },
      turns: 3,
      ownTurns: 1,
      own: { replies: 1, inputTokens: 3 },
      inherited: { replies: 2, inputTokens: 6 },
    });
  });

  it.each([
    ['its start gives', parent, 'First', 'own'],
    ['a rename gives', encodeLog([{ type: 'session.title', title: 'Second' }], parent), 'Second', 'own'],
    ['its fork gives', buildFork(parent, { id: makeTestId(2), title: 'Child' }), 'Child', 'own'],
    ['its parent had', buildFork(parent, { id: makeTestId(2) }), 'First', 'inherited'],
    [
      'the fork of its parent gave',
      buildFork(
        buildFork(parent, { id: makeTestId(2), title: 'Child' }).concat(
          encodeLog(buildTurn({}, 3), buildFork(parent, { id: makeTestId(2), title: 'Child' })).slice(
            parent.length + 1,
          ),
        ),
        { id: makeTestId(3) },
      ),
      'Child',
      'inherited',
    ],
    ['its first prompt gives', encodeLog(buildSession({ turns: [{ prompt: '  say\nmore' }] })), 'say', 'prompt'],
    [
      'the first prompt with text gives',
      encodeLog(buildSession({ turns: [{ prompt: ' ' }, { prompt: 'b' }] })),
      'b',
      'prompt',
    ],
  ])('has the title that %s', (_, lines, title, titleFrom) => {
    expect(overview(lines)).toMatchObject({ title, titleFrom });
  });

  it('is null when the log does not start a session', () => {
    expect(deriveSessionOverview([])).toBeNull();
    expect(overview(encodeLog(buildTurn({}, 1)))).toBeNull();
  });

  it('says whether a turn is open', () => {
    const open = encodeLog(buildSession({ turns: [{}, { open: true }] }));
    expect([overview(parent)?.turnOpen, overview(open)?.turnOpen]).toEqual([false, true]);
  });

  it('keeps the time of the last event when the last segment is empty', () => {
    const heads = outlineLog(parent, [parent.length]).map(({ head }) => head);
    expect(heads).toHaveLength(2);
    expect(deriveSessionOverview(heads)).toMatchObject({ lastTime: parent.at(-1)?.event.time, events: parent.length });
  });

  it('does not let a second session.start rename the run', () => {
    const [start] = buildSession({ id: makeTestId(9), turns: [] });
    expect(overview(encodeLog(start === undefined ? [] : [start], parent))).toMatchObject({ id: makeTestId(1) });
  });
});
