import type { NodeView } from '@ramet/core/runs';
import { escapeLine, renderCount } from '@ramet/core/text';

/** What there is to say of a place besides its state, in one line; empty: nothing. */
export function summarizeView({ items, passes, take, error, reason, calls, visits, gate }: NodeView): string {
  const parts: string[] = [];
  if (items !== undefined) {
    parts.push(`${items.done} of ${renderCount(items.count, 'item')}`);
    if (items.failed > 0) parts.push(`${items.failed} failed`);
  }
  if (passes !== undefined) parts.push(renderCount(passes, 'pass', 'passes'));
  if (take !== undefined) parts.push(take === null ? 'takes no way' : `takes ${take}`);
  if (error !== undefined) parts.push(String(error.code).replaceAll('_', ' '));
  if (reason !== undefined) parts.push(reason);
  if (gate !== undefined && !('answer' in gate)) parts.push(gate.question);
  if (calls.length > 0) parts.push(renderCount(calls.length, 'call'));
  if (visits.length > 1) parts.push(`entered ${visits.length} times`);
  return escapeLine(parts.join(' · ').slice(0, 300));
}
