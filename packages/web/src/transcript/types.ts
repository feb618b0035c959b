import type { EventOf, KnownEvent } from '@ramet/core/events';
import type { PayloadReference } from '@ramet/core/log';
import type { TranscriptEntry } from '@ramet/core/transcript';
import type { UsageSum } from '@ramet/core/usage';

export type EntryOf<K extends TranscriptEntry['kind']> = TranscriptEntry & { readonly kind: K };

/**
 * An entry of the transcript and the event that tells it. Where payloads are named, the entry holds notes in their place:
 * it is told again, by its index among the entries of the event, once they are loaded.
 */
export interface Told<E extends TranscriptEntry = TranscriptEntry> {
  readonly entry: E;
  readonly event: KnownEvent;
  readonly index: number;
  readonly payloads: readonly PayloadReference[];
}

/** What became of a call so far. */
export type CallStatus =
  | 'proposed'
  | 'asked'
  | 'running'
  | 'ok'
  | 'error'
  | 'denied'
  | 'interrupted'
  | 'outcome_unknown';

/** A call with everything that is told of it. */
export interface CallItem extends ItemPlace {
  readonly kind: 'call';
  readonly callId: string;
  readonly tool: string;
  readonly status: CallStatus;
  /** Absent where it was proposed before the first event that is loaded. */
  readonly call?: Told<EntryOf<'call'>>;
  readonly intent?: EventOf<'tool.intent'>;
  readonly asked?: EntryOf<'asked'>;
  readonly approval?: EntryOf<'approval'>;
  readonly resolved?: EntryOf<'resolved'>;
  readonly result?: Told<EntryOf<'result'>>;
}

interface ItemPlace {
  /** The same for the same thing, whatever is loaded besides. */
  readonly key: string;
  readonly offset: number;
  /** The turn it belongs to, from 1; 0 before the first. */
  readonly turn: number;
}

/** How a turn ended: the place a fork begins at. */
export interface EndItem extends ItemPlace {
  readonly kind: 'end';
  readonly event: EventOf<'session.end'>;
  readonly checkpoint?: EventOf<'workspace.checkpoint'>;
  /** Absent where the turn began before the first event that is loaded. */
  readonly startedAt?: string;
  readonly usage: UsageSum;
}

/** Something that happened to the session itself. */
export interface MarkItem extends ItemPlace {
  readonly kind: 'mark';
  readonly event:
    | EventOf<'session.fork'>
    | EventOf<'workspace.restore'>
    | EventOf<'log.repair'>
    | EventOf<'session.config'>;
}

/** What was said: by a person, a model, or a summary of both. */
export interface SaidItem extends ItemPlace {
  readonly kind: 'user' | 'assistant' | 'reasoning' | 'summary' | 'failed_request';
  readonly told: Told;
}

export type Item = SaidItem | CallItem | EndItem | MarkItem;

/** A turn of which at least a part is loaded. */
export interface TurnSpan {
  readonly turn: number;
  /** Offset of its `session.end`; null while it is open. */
  readonly end: number | null;
  /** The model it ended with; absent: it is open, or was chosen before what is loaded. */
  readonly model?: string;
}

export interface Transcript {
  readonly items: readonly Item[];
  readonly turns: ReadonlyMap<number, TurnSpan>;
  /** The number of the open turn, or null. */
  readonly open: number | null;
}
