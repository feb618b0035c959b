import { makeRunId } from '@ramet/core';
import { addReply, NO_USAGE, totalUsage, type UsageSum } from '@ramet/core/usage';
import { expect, test } from 'vitest';

const parent = makeRunId(1, new Uint8Array(10));
const child = makeRunId(2, new Uint8Array(10));
const other = makeRunId(3, new Uint8Array(10));

function tokens(count: number): UsageSum {
  return addReply(NO_USAGE, { inputTokens: count, outputTokens: 0 }, undefined);
}

test('counts what relatives share once, under the run that made it', () => {
  const { total, byMaker } = totalUsage([
    { maker: parent, end: 20, usage: tokens(100) },
    { maker: parent, end: 10, usage: tokens(60) },
    { maker: child, end: 15, usage: tokens(5) },
  ]);
  expect(total).toMatchObject({ replies: 2, inputTokens: 105 });
  expect(byMaker.get(parent)?.inputTokens).toBe(100);
});

test('counts of a removed run what its longest-reaching child holds', () => {
  const { total } = totalUsage([
    { maker: parent, end: 10, usage: tokens(60) },
    { maker: child, end: 15, usage: tokens(5) },
    { maker: parent, end: 20, usage: tokens(100) },
    { maker: other, end: 25, usage: tokens(1) },
  ]);
  expect(total.inputTokens).toBe(106);
});
