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
  /** Of the node; null: it is a body, or not known. */
  readonly kind: string | null;
  /** Nobody works on the run: what is at work was left at work. */
  readonly isLeft?: boolean;
}

/** What only goes on with what is in it, or with an answer, was not left at work. */
const WORKS: ReadonlySet<string | null> = new Set(['agent', 'tool', 'branch']);

/** The state of a place, in words. */
export function StateMark({ state, kind, isLeft = false }: StateMarkProps) {
  if (state === 'entered' && isLeft) {
    return WORKS.has(kind) ? <Badge tone="warn">left at work</Badge> : <Badge>not done yet</Badge>;
  }
  return (
    <Badge tone={TONES[state]}>
      {state === 'entered' && <span aria-hidden className="size-1.5 animate-pulse rounded-full bg-current" />}
      {WORDS[state]}
    </Badge>
  );
}
