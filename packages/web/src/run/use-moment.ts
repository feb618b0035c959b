import type { LoggedEvent } from '@ramet/core/events';
import type { Graph } from '@ramet/core/graph';
import { useMemo, useState } from 'react';
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
  /** Looks at the moment after an event; null: at what is now. */
  readonly look: (offset: number | null) => void;
}

/** Derives the moments of a run from its log. */
export function useMoment({ events, generation }: LogView, graph: Graph | null): Looked {
  const timeline = useMemo(() => new Timeline(graph), [graph]);
  const live = useMemo(() => timeline.catchUp(events, generation), [timeline, events, generation]);
  const [at, look] = useState<number | null>(null);
  const isLive = at === null || at > live.offset;
  const moment = useMemo(() => (isLive ? live : timeline.at(at)), [timeline, live, isLive, at]);
  return { timeline, events, live, moment, isLive, look };
}
