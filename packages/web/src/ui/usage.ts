/** Tokens and money as people read them. */
import type { Usage } from '@ramet/client';

/** `1.2M`, `34k`, `812`. */
export function renderTokens(count: number): string {
  if (count >= 1_000_000) return `${(count / 1_000_000).toFixed(1)}M`;
  return count >= 10_000 ? `${Math.round(count / 1000)}k` : String(count);
}

/** What is known of a cost: `$0.42`, `$0.42 + ?` where some replies have no price, `?` where none has, `–` for nothing. */
export function renderCost({ cost = {}, unknownCost, replies }: Usage): string {
  if (replies === 0) return '–';
  const known = Object.entries(cost).map(([currency, amount]) => renderMoney(amount, currency));
  if (known.length === 0) return '?';
  return `${known.join(' + ')}${unknownCost > 0 ? ' + ?' : ''}`;
}

/** Money; what is less than a cent keeps two figures. */
function renderMoney(amount: number, currency: string): string {
  const digits =
    amount !== 0 && Math.abs(amount) < 0.01 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 2 };
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency, ...digits }).format(amount);
  } catch {
    return `${amount} ${currency}`;
  }
}
