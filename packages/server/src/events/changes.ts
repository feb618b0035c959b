/** What happens in the whole store, as it is followed: ids alone, for whoever then reads what they want. */
import type { RunId } from '@ramet/core';
import type { RunChange } from '@ramet/runtime/follow';
import type { Daemon } from '../daemon/types.ts';
import { renderFrame } from './frames.ts';
import { type Frames, mixFrames } from './mix.ts';

export interface StoreEvents {
  readonly items: AsyncIterator<RunChange, undefined>;
  readonly daemon: Pick<Daemon, 'watchLive'>;
  readonly keepAliveMs: number;
  readonly signal: AbortSignal;
}

/** Yields the frames of a store. A run whose owner or questions changed has changed. */
export function followChangeFrames({ items, daemon, keepAliveMs, signal }: StoreEvents): AsyncGenerator<Frames, void> {
  const touched = new Set<RunId>();
  const say = (): string => {
    const frames = [...touched].map((id) => renderChange({ kind: 'changed', id }));
    touched.clear();
    return frames.join('');
  };
  const watch = (ring: () => void): (() => void) =>
    daemon.watchLive((id) => {
      touched.add(id);
      ring();
    });
  return mixFrames({ items, render: renderChange, say, watch, keepAliveMs, signal });
}

function renderChange({ kind, id }: RunChange): string {
  return renderFrame({ event: kind, data: JSON.stringify({ id }) });
}
