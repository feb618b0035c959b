import type { Damage } from '@ramet/client';
import { readJson } from './read-json.ts';

/** Why nothing more comes of a log: `removed`, `damaged`, or `failed`. */
export interface LogEnd {
  readonly reason: string;
  readonly detail?: string;
}

interface ToldEnd {
  readonly reason?: string;
  readonly detail?: string;
  readonly damage?: Damage;
}

/** Reads what the last event of a stream says. */
export function readEnd(data: string): LogEnd {
  const { reason = 'ended', detail, damage } = readJson<ToldEnd>(data) ?? {};
  const said = damage === undefined ? detail : describeDamage(damage);
  return said === undefined ? { reason } : { reason, detail: said };
}

function describeDamage(damage: Damage): string {
  if ('reason' in damage) return damage.reason;
  const { segment, line, expected, found } = damage;
  return `${segment}, line ${line}: expected ${expected}, found ${found}`;
}
