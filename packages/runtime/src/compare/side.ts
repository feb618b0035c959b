/** What one session did after the line it has in common with another. */
import {
  addReply,
  type KnownEvent,
  knownEvent,
  NO_USAGE,
  type SessionOverview,
  type ToolOutcomeKind,
  type UsageSum,
} from '@ramet/core';
import type { ReadLog } from './parting.ts';

export interface SessionSide extends Pick<SessionOverview, 'id' | 'title' | 'model'> {
  /** Turns that began after the common line, and how many of them have ended. */
  readonly turns: { readonly begun: number; readonly ended: number };
  /** Results of calls after it, by outcome. */
  readonly calls: Readonly<Partial<Record<ToolOutcomeKind, number>>>;
  readonly usage: UsageSum;
  /** Milliseconds from each turn's message to its end, of the turns that have ended. */
  readonly workedMs: number;
  /** Times of its first and last event after the common line; null when there is none. */
  readonly firstTime: string | null;
  readonly lastTime: string | null;
  /** The log is damaged: what lies after that is not counted. */
  readonly damaged: boolean;
}

interface Tally {
  begun: number;
  ended: number;
  calls: Partial<Record<ToolOutcomeKind, number>>;
  usage: UsageSum;
  workedMs: number;
  /** When the open turn began. */
  beganMs: number | null;
  firstTime: string | null;
  lastTime: string | null;
}

/** Reads what a session did after an offset (-1: all of it). */
export function readSide({ reader, outline }: ReadLog, overview: SessionOverview, after: number): SessionSide {
  const tally: Tally = {
    ...{ begun: 0, ended: 0, calls: {}, usage: NO_USAGE, workedMs: 0 },
    ...{ beganMs: null, firstTime: null, lastTime: null },
  };
  for (const logged of reader.readEvents({ from: after + 1, to: overview.events - 1 })) {
    tally.firstTime ??= logged.time;
    tally.lastTime = logged.time;
    const event = knownEvent(logged);
    if (event !== null) countEvent(tally, event);
  }
  const { begun, ended, calls, usage, workedMs, firstTime, lastTime } = tally;
  const { id, title, model } = overview;
  return {
    ...{ id, title, ...(model === undefined ? {} : { model }) },
    ...{ turns: { begun, ended }, calls, usage, workedMs, firstTime, lastTime },
    damaged: outline.damage !== null,
  };
}

function countEvent(tally: Tally, event: KnownEvent): void {
  if (event.type === 'message') {
    tally.begun += 1;
    tally.beganMs = Date.parse(event.time);
  } else if (event.type === 'model.response') {
    tally.usage = addReply(tally.usage, event.usage, event.cost);
  } else if (event.type === 'tool.result') {
    tally.calls[event.outcome] = (tally.calls[event.outcome] ?? 0) + 1;
  } else if (event.type === 'session.end' && tally.beganMs !== null) {
    tally.ended += 1;
    // A log may hold any time, and the clock of a machine may be set back.
    tally.workedMs += Math.max(Date.parse(event.time) - tally.beganMs, 0) || 0;
    tally.beganMs = null;
  }
}
