/**
 * One run, as it is followed: its lines with their offsets as ids, what is in no event, and who works on it.
 *
 * 1. Only a line of the log has an id: whoever connects again with the last id misses nothing and gets nothing twice.
 * 2. `end` is said once nothing more can come, and never because this daemon stops: then the connection just ends, and
 *    whoever follows connects again.
 */
import { describeError, type RunId } from '@ramet/core';
import type { FeedItem } from '@ramet/runtime/follow';
import type { Daemon } from '../daemon/types.ts';
import { renderFrame, renderFrameBytes } from './frames.ts';
import { type Frames, mixFrames } from './mix.ts';

export interface RunEvents {
  readonly id: RunId;
  readonly items: AsyncIterator<FeedItem, undefined>;
  readonly daemon: Pick<Daemon, 'liveOf' | 'watchLive'>;
  readonly keepAliveMs: number;
  readonly signal: AbortSignal;
}

/** Yields the frames of a run. */
export async function* followRunFrames(events: RunEvents): AsyncGenerator<Frames, void> {
  const { id, items, daemon, keepAliveMs, signal } = events;
  const say = (): string => renderFrame({ event: 'state', data: JSON.stringify(daemon.liveOf(id)) });
  const watch = (ring: () => void): (() => void) => daemon.watchLive((changed) => changed === id && ring());
  try {
    yield* mixFrames({ items, render: renderItem, say, watch, keepAliveMs, signal });
  } catch (error) {
    const { code, message } = describeError(error);
    yield renderFrame({ event: 'end', data: JSON.stringify({ reason: 'failed', code, detail: message }) });
  }
}

function renderItem(item: FeedItem): Frames {
  switch (item.kind) {
    case 'line':
      return renderFrameBytes(item.bytes, { id: item.offset });
    case 'live':
      return renderFrameBytes(item.bytes, { event: 'live' });
    case 'rewind':
      return renderFrame({ event: 'rewind', data: JSON.stringify({ offset: item.offset }) });
    case 'end':
      return renderEnd(item.reason);
  }
}

function renderEnd({ kind, ...more }: Extract<FeedItem, { readonly kind: 'end' }>['reason']): string {
  return kind === 'closed' ? '' : renderFrame({ event: 'end', data: JSON.stringify({ reason: kind, ...more }) });
}
