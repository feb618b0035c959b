/** Events of a log in answers, as they were recorded. */
import { type LoggedEvent, type Refusal, type RunId, refuse } from '@ramet/core';

/** Events of one log. */
export interface DescribedLog {
  readonly id: RunId;
  readonly events: readonly LoggedEvent[];
}

/** Describes events; of a damaged log the refusal has those before the damage. */
export function describeLog(id: RunId, events: readonly LoggedEvent[], damage: Refusal | null): DescribedLog | Refusal {
  return damage === null ? { id, events } : refuse(damage.code, damage.message, { ...damage.data, events });
}
