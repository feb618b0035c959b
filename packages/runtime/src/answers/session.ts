/** Sessions in answers: as a list has them, and one with its turns. */
import type { SessionSummary, SessionView } from '../inspect/index.ts';
import { type DescribedUsage, describeUsage } from './usage.ts';

/** What a run did itself, or inherited. */
export interface DescribedShare {
  readonly usage: DescribedUsage;
}

/** What a list answers of a session. */
export interface DescribedSession extends Omit<SessionSummary, 'own' | 'inherited'> {
  readonly own: DescribedShare;
  readonly inherited: DescribedShare;
}

/** Describes a row of a list. */
export function describeSession({ own, inherited, ...rest }: SessionSummary): DescribedSession {
  return { ...rest, own: { usage: describeUsage(own.usage) }, inherited: { usage: describeUsage(inherited.usage) } };
}

/** A session and its turns. */
export interface DescribedSessionView extends Omit<SessionView, 'own' | 'inherited'> {
  readonly own: DescribedShare;
  readonly inherited: DescribedShare;
}

/** Describes one session that is shown. */
export function describeSessionView(view: SessionView): DescribedSessionView {
  const { own, inherited } = view;
  return { ...view, own: { usage: describeUsage(own.usage) }, inherited: { usage: describeUsage(inherited.usage) } };
}
