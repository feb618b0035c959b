import { expect, it } from 'vitest';
import { contextTokensOf, priceOf } from '../../src/model/index.ts';
import { isPriceKnown } from '../../src/model/price.ts';

const time = new Date('2026-06-01T00:00:00Z');
const usage = { inputTokens: 1_000_000, outputTokens: 0 };

it('prices a known model in dollars', async () => {
  const cost = await priceOf({ provider: 'openai', model: 'gpt-5', usage, time });
  expect(cost).toEqual({ amount: 1.25, currency: 'USD' });
});

it('prices cached input by its own price', async () => {
  const cost = await priceOf({
    provider: 'openai',
    model: 'gpt-5',
    usage: { ...usage, cacheReadTokens: 1_000_000 },
    time,
  });
  expect(cost?.amount).toBeCloseTo(0.125);
});

it('does not know the cost of unknown usage, of an unknown model, or of usage that contradicts itself', async () => {
  const known = { provider: 'openai', model: 'gpt-5', time };
  expect(await priceOf({ ...known, usage: {} })).toBeUndefined();
  expect(await priceOf({ ...known, usage: { inputTokens: 5 } })).toBeUndefined();
  expect(await priceOf({ ...known, model: 'no-such-model', usage })).toBeUndefined();
  expect(await priceOf({ ...known, usage: { inputTokens: 5, outputTokens: 1, cacheReadTokens: 9 } })).toBeUndefined();
});

it('does not bill a local model that bears the name of a sold one', async () => {
  const local = { provider: 'openai-compatible', model: 'gpt-5', usage, time };
  expect(await priceOf(local)).toBeUndefined();
  expect(await priceOf({ ...local, baseUrl: 'http://localhost:11434/v1' })).toBeUndefined();
});

it('knows the context of a listed model, and says nothing of others', async () => {
  expect(await contextTokensOf({ provider: 'anthropic', model: 'claude-sonnet-4-5' })).toBe(200_000);
  expect(await contextTokensOf({ provider: 'anthropic', model: 'no-such-model' })).toBeUndefined();
});

it('knows before a request whether there is a price', async () => {
  expect(await isPriceKnown({ provider: 'anthropic', model: 'claude-sonnet-4-5' })).toBe(true);
  expect(await isPriceKnown({ provider: 'anthropic', model: 'no-such-model' })).toBe(false);
  expect(await isPriceKnown({ provider: 'openai-compatible', model: 'gpt-5', baseUrl: 'http://localhost:1/v1' })).toBe(
    false,
  );
});
