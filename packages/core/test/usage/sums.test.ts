import { addReply, joinUsage, NO_USAGE, subtractUsage, type UsageSum } from '@ramet/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const tokens = fc.option(fc.nat(1_000_000), { nil: undefined });
const reply = fc.tuple(
  fc.option(
    fc.record({ inputTokens: tokens, outputTokens: tokens, cacheReadTokens: tokens, reasoningTokens: tokens }),
    { nil: undefined },
  ),
  fc.option(
    fc.record({
      // Binary fractions add without rounding, in any order.
      amount: fc.nat(1000).map((eighths) => eighths / 8),
      currency: fc.constantFrom('USD', 'EUR', '__proto__', 'constructor', 'toString'),
    }),
    { nil: undefined },
  ),
);
const sum = fc.array(reply, { maxLength: 5 }).map((replies) => replies.reduce(addOne, NO_USAGE));

function addOne(
  total: UsageSum,
  [usage, cost]: [object | undefined, { amount: number; currency: string } | undefined],
) {
  return addReply(total, usage, cost);
}

/** Without currencies of which nothing is left. */
function spent(usage: UsageSum): UsageSum {
  return { ...usage, cost: Object.fromEntries(Object.entries(usage.cost).filter(([, amount]) => amount !== 0)) };
}

describe('usage sums', () => {
  it('do not depend on how they are grouped or ordered', () => {
    fc.assert(
      fc.property(sum, sum, sum, (a, b, c) => {
        expect(joinUsage(joinUsage(a, b), c)).toEqual(joinUsage(a, joinUsage(b, c)));
        expect(joinUsage(a, b)).toEqual(joinUsage(b, a));
      }),
    );
  });

  it('give back the rest when a part is taken away', () => {
    fc.assert(
      fc.property(sum, sum, (part, rest) => {
        expect(spent(subtractUsage(joinUsage(part, rest), part))).toEqual(spent(rest));
      }),
    );
  });

  it('are not changed by nothing', () => {
    fc.assert(
      fc.property(sum, (some) => {
        expect([joinUsage(some, NO_USAGE), joinUsage(NO_USAGE, some), subtractUsage(some, NO_USAGE)]).toEqual([
          some,
          some,
          some,
        ]);
      }),
    );
  });

  it('count every reply, known or not', () => {
    fc.assert(
      fc.property(fc.array(reply), (replies) => {
        const total = replies.reduce(addOne, NO_USAGE);
        expect(total.replies).toBe(replies.length);
        expect(total.unknownCost).toBe(replies.filter(([, cost]) => cost === undefined).length);
      }),
    );
  });
});

describe('what a reply did not report', () => {
  it('is unknown, not zero', () => {
    expect(addReply(NO_USAGE, undefined, undefined)).toMatchObject({
      replies: 1,
      unknownUsage: 1,
      unknownCost: 1,
      cost: {},
    });
    expect(addReply(NO_USAGE, {}, undefined)).toMatchObject({ unknownUsage: 1 });
    expect(addReply(NO_USAGE, { reasoningTokens: 3 }, undefined)).toMatchObject({ unknownUsage: 1 });
  });

  it('is known to be zero when it was reported as zero', () => {
    const free = addReply(NO_USAGE, { inputTokens: 0 }, { amount: 0, currency: 'USD' });
    expect(free).toMatchObject({ unknownUsage: 0, unknownCost: 0, cost: { USD: 0 } });
  });

  it.each([-1, 1.5, Number.NaN, '7', null, {}])('is unknown when tokens are given as %j', (inputTokens) => {
    expect(addReply(NO_USAGE, { inputTokens } as object, undefined)).toMatchObject({ inputTokens: 0, unknownUsage: 1 });
  });

  it.each([{}, { amount: '1', currency: 'USD' }, { amount: Number.NaN, currency: 'USD' }, { amount: 1 }, null])(
    'is unknown when a cost is given as %j',
    (cost) => {
      expect(addReply(NO_USAGE, undefined, cost as never)).toMatchObject({ unknownCost: 1, cost: {} });
    },
  );
});
