import type { LoggedEvent } from '@ramet/core/events';
import type { Graph } from '@ramet/core/graph';
import { useDeferredValue, useMemo, useState } from 'react';
import type { LogView } from '../log/run-log.ts';
import { type Moment, Timeline } from './timeline.ts';

/** A run as it is looked at: as it is now, or as it was after an event. */
export interface Looked {
  readonly timeline: Timeline;
  readonly events: readonly LoggedEvent[];
  readonly live: Moment;
  /** What is shown: `live`, unless somebody looks back. */
  readonly moment: Moment;
  readonly isLive: boolean;
  /** The offset that is asked for, which `moment` follows as fast as it is derived; null: what is now. */
  readonly wanted: number | null;
  /** Looks at the moment after an event; null: at what is now. */
  readonly look: (offset: number | null) => void;
}

const NOTHING: readonly LoggedEvent[] = [];

/** Whether all of the log is held that can be. */
export function isThere({ isLoaded, end, error }: LogView): boolean {
  return isLoaded || end !== undefined || error !== undefined;
}

/** Derives the moments of a run from its log. */
export function useMoment(view: LogView, graph: Graph | null): Looked {
  const { generation } = view;
  // What is still on its way is no moment that anybody asked for: it is folded once, when it is there.
  const events = isThere(view) ? view.events : NOTHING;
  const timeline = useMemo(() => new Timeline(graph), [graph]);
  const live = useMemo(() => timeline.catchUp(events, generation), [timeline, events, generation]);
  const [wanted, look] = useState<number | null>(null);
  const at = useDeferredValue(wanted);
  const isLive = at === null || at > live.offset;
  const moment = useMemo(() => (isLive ? live : timeline.at(at)), [timeline, live, isLive, at]);
  return { timeline, events, live, moment, isLive, wanted, look };
}
