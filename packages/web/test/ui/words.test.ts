import type { Usage } from '@ramet/client';
import { describe, expect, it } from 'vitest';
import { safeLinkOf } from '../../src/ui/safe-link.ts';
import { renderCost, renderTokens } from '../../src/ui/usage.ts';

const USAGE: Usage = {
  replies: 2,
  inputTokens: 10,
  outputTokens: 5,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  unknownUsage: 0,
  unknownCost: 0,
};

describe('a cost', () => {
  it('says what is known, and that something is not', () => {
    expect(renderCost({ ...USAGE, cost: { USD: 0.42 } })).toBe('$0.42');
    expect(renderCost({ ...USAGE, cost: { USD: 0.0012 } })).toBe('$0.0012');
    expect(renderCost({ ...USAGE, cost: { USD: 1, EUR: 2 }, unknownCost: 1 })).toBe('$1.00 + €2.00 + ?');
    expect(renderCost({ ...USAGE, unknownCost: 2 })).toBe('?');
    expect(renderCost({ ...USAGE, replies: 0 })).toBe('–');
  });

  it('shows a currency nobody knows as it is', () => {
    expect(renderCost({ ...USAGE, cost: { '<b>': 3 } })).toBe('3 <b>');
  });
});

describe('tokens', () => {
  it('are short when they are many', () => {
    expect([812, 9_999, 34_400, 1_250_000].map(renderTokens)).toEqual(['812', '9999', '34k', '1.3M']);
  });
});

describe('a link that a model wrote', () => {
  it('is one only when it openly leaves the page', () => {
    expect(safeLinkOf('https://example.org/a')).toBe('https://example.org/a');
    expect(safeLinkOf('mailto:a@example.org')).toBe('mailto:a@example.org');
    const others = [
      'javascript:alert(1)',
      'JAVASCRIPT:alert(1)',
      'data:text/html,x',
      'blob:http://a/b',
      '/v1/runs',
      '//a',
      'file:///etc',
    ];
    for (const href of [...others, undefined]) expect(safeLinkOf(href)).toBeNull();
  });
});
