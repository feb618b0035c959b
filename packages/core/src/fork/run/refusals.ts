import { type Code, type Refusal, refuse } from '../../codes/index.ts';
import type { RunForkError } from './types.ts';

/** A refusal of a fork of a run. */
export function refuseRunFork(code: RunForkError & Code, message: string, data: Record<string, unknown> = {}): Refusal {
  return refuse(code, message, data);
}

/** A list for a message: the first ones, and how many more there are. */
export function listSome(items: readonly string[], limit = 10): string {
  const more = items.length - limit;
  return more > 0 ? `${items.slice(0, limit).join(', ')} and ${more} more` : items.join(', ');
}
