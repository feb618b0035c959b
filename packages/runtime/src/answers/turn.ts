/** How a turn ended, or what it waits for, in answers. */
import type { TurnResult } from '../session/index.ts';
import { type DescribedUsage, describeUsage } from './usage.ts';

type Ended = Extract<TurnResult, { readonly kind: 'ended' }>;
type Parked = Extract<TurnResult, { readonly kind: 'parked' }>;

/** A turn that ended; text and usage are its own. */
export interface DescribedEndedTurn extends Pick<Ended, 'session' | 'turn' | 'end' | 'text' | 'denied' | 'error'> {
  readonly usage: DescribedUsage;
}

/** A turn that waits for a person; `flags` are those its call was asked about with. */
export interface DescribedParkedTurn extends Pick<Parked, 'message' | 'session' | 'turn' | 'offset' | 'flags'> {
  readonly code: Parked['reason'];
}

/** Describes a turn that ended. */
export function describeEndedTurn({ session, turn, end, text, usage, denied, error }: Ended): DescribedEndedTurn {
  return {
    session,
    turn,
    end,
    text,
    usage: describeUsage(usage),
    denied,
    ...(error === undefined ? {} : { error }),
  };
}

/** Describes a turn that waits. */
export function describeParkedTurn(result: Parked): DescribedParkedTurn {
  const { reason: code, message, session, turn, offset, flags } = result;
  return { code, message, session, turn, offset, flags };
}
