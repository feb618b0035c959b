import { Badge } from '../../ui/badge.tsx';
import { type PlaceState, TONES } from './states.ts';

const WORDS: Readonly<Record<PlaceState, string>> = {
  'not reached': 'not reached',
  entered: 'at work',
  waiting: 'waits for you',
  delayed: 'tried again later',
  ok: 'done',
  failed: 'failed',
  interrupted: 'interrupted',
  skipped: 'skipped',
};

export interface StateMarkProps {
  readonly state: PlaceState;
  /** Nobody works on the run: what is at work was left at work. */
  readonly isLeft?: boolean;
}

/** The state of a place, in words. */
export function StateMark({ state, isLeft = false }: StateMarkProps) {
  if (state === 'entered' && isLeft) return <Badge tone="warn">left at work</Badge>;
  return (
    <Badge tone={TONES[state]}>
      {state === 'entered' && <span aria-hidden className="size-1.5 animate-pulse rounded-full bg-current" />}
      {WORDS[state]}
    </Badge>
  );
}
