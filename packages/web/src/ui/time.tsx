/** Times as people read them; the exact one is shown to whoever points at it. */
import { renderAge } from '@ramet/core/text';
import { useSyncExternalStore } from 'react';

const EVERY_MS = 10_000;

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for all ages on the page. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const call of listeners) call();
  }, EVERY_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** How long ago something was. */
export function Age({ time }: { readonly time: string }) {
  const current = useSyncExternalStore(subscribe, () => now);
  return (
    <time dateTime={time} title={new Date(time).toLocaleString()} className="whitespace-nowrap tabular-nums">
      {renderAge(Math.max(current, Date.now()) - Date.parse(time))}
    </time>
  );
}

/** A time of the day, with its date where that is another day. */
export function Moment({ time }: { readonly time: string }) {
  const date = new Date(time);
  const isToday = date.toDateString() === new Date().toDateString();
  return (
    <time dateTime={time} title={date.toLocaleString()} className="whitespace-nowrap tabular-nums">
      {isToday
        ? date.toLocaleTimeString([], { timeStyle: 'short' })
        : date.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })}
    </time>
  );
}
