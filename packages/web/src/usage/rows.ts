import type { StoreUsage, Usage } from '@ramet/client';

/** One session or run of the table; a removed one whose replies its forks hold. */
export interface UsageRow {
  readonly kind: 'session' | 'run' | 'removed';
  readonly id: string;
  readonly title: string;
  readonly own: Usage;
  /** Null of a removed one: nothing is known of it but what others hold. */
  readonly inherited: Usage | null;
}

/** Everything that asked a model anything, what has the most replies first. */
export function listUsage({ sessions, runs, removed }: StoreUsage): readonly UsageRow[] {
  const rows: readonly UsageRow[] = [
    ...sessions.map((row) => ({ ...row, kind: 'session' as const })),
    ...runs.map((row) => ({ ...row, kind: 'run' as const })),
    ...removed.map(({ id, usage }) => ({ kind: 'removed' as const, id, title: '', own: usage, inherited: null })),
  ];
  return rows
    .filter(({ own, inherited }) => own.replies + (inherited?.replies ?? 0) > 0)
    .sort((left, right) => right.own.replies - left.own.replies);
}

/** A number of tokens: `?` where none is known, `1,200 + ?` where some are not, `–` where nothing was asked. */
export function renderCounted(usage: Usage, name: 'inputTokens' | 'outputTokens'): string {
  const { replies, unknownUsage } = usage;
  if (replies === 0) return '–';
  if (unknownUsage >= replies) return '?';
  return `${usage[name].toLocaleString('en')}${unknownUsage > 0 ? ' + ?' : ''}`;
}
