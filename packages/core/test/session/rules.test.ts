import { type EventOf, lastingRules } from '@ramet/core';
import { expect, it } from 'vitest';

function lasting(permissions: readonly unknown[]) {
  return lastingRules({ permissions } as unknown as EventOf<'session.config'>);
}

it('keeps what the command line denies or asks about, of that turn and of earlier ones', () => {
  const rules = (['deny', 'ask', 'allow'] as const).flatMap((verdict) =>
    (['flag', 'earlier', 'person', 'project'] as const).map((from) => ({ tool: from, match: 'x', do: verdict, from })),
  );
  expect(lasting(rules)).toEqual(
    ['deny', 'ask'].flatMap((verdict) => ['flag', 'earlier'].map((tool) => ({ tool, match: 'x', do: verdict }))),
  );
  expect(lastingRules(undefined)).toEqual([]);
});

it('passes over what is no rule, and takes a glob that is no text for one that matches all', () => {
  const blob = { $blob: '0'.repeat(64), bytes: 1, encoding: 'utf8' };
  expect(lasting([null, 7, 'x', [], { from: 'flag' }, { tool: 7, do: 'deny', from: 'flag' }])).toEqual([]);
  expect(lasting([{ tool: 'shell', do: 'deny' }])).toEqual([]);
  expect(lasting([{ tool: 'shell', match: blob, do: 'deny', from: 'flag' }])).toEqual([{ tool: 'shell', do: 'deny' }]);
});
