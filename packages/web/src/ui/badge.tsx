/** Small words with a colour. The words alone say it: the colour is for whoever sees it. */
import type { ReactNode } from 'react';

const TONES = {
  plain: 'bg-raised text-muted',
  good: 'bg-accent-soft text-accent',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-danger-soft text-danger',
  busy: 'bg-info-soft text-info',
} as const;

export type Tone = keyof typeof TONES;

/** A word or two in a box. */
export function Badge({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return (
    <span
      className={`inline-flex shrink-0 items-center gap-1 whitespace-nowrap rounded px-1.5 py-px font-medium text-xs ${TONES[tone]}`}
    >
      {children}
    </span>
  );
}

const STATES: Readonly<Record<string, Tone>> = {
  running: 'busy',
  idle: 'plain',
  completed: 'good',
  parked: 'warn',
  interrupted: 'warn',
  failed: 'bad',
  abandoned: 'plain',
  damaged: 'bad',
};

/** The state of a session, a run, a node or a call. */
export function StateBadge({ state }: { readonly state: string }) {
  return (
    <Badge tone={STATES[state] ?? 'plain'}>
      {state === 'running' && <span aria-hidden className="size-1.5 animate-pulse rounded-full bg-current" />}
      {state.replaceAll('_', ' ')}
    </Badge>
  );
}
