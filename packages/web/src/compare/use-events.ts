import type { EventPage } from '@ramet/client';
import type { LoggedEvent } from '@ramet/core/events';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../app/api.tsx';
import { keys } from '../data/keys.ts';

const PAGE = 2_000;
/** More is read on the session's own page. */
const MOST_EVENTS = 20_000;

export interface EventRange {
  readonly id: string;
  readonly from: number;
  /** The last one; null: the end of the log. */
  readonly to: number | null;
}

export interface ReadEvents {
  readonly events: readonly LoggedEvent[];
  /** There are more than are read. */
  readonly isCut: boolean;
}

/** Events of a log; read again when the log is told to have changed. */
export function useEvents({ id, from, to }: EventRange, isWanted = true) {
  const api = useApi();
  return useQuery({
    queryKey: [...keys.of(id), 'events', from, to],
    queryFn: async ({ signal }): Promise<ReadEvents> => {
      const events: LoggedEvent[] = [];
      for (let next: number | null = from; next !== null && (to === null || next <= to); ) {
        if (events.length >= MOST_EVENTS) return { events, isCut: true };
        const limit: number = to === null ? PAGE : Math.min(PAGE, to - next + 1);
        const page: EventPage = await api.call('readEvents', { path: { id }, query: { from: next, limit } }, signal);
        events.push(...(page.events as unknown as readonly LoggedEvent[]));
        next = page.next;
      }
      return { events, isCut: false };
    },
    enabled: isWanted,
    placeholderData: (before) => before,
    structuralSharing: false,
  });
}
