/** Looks after a folder that other processes write to: told by the operating system where it can, and by looking often. */
import { type FSWatcher, watch } from 'node:fs';
import type { FeedSettings } from './types.ts';

export type WatchSettings = Pick<FeedSettings, 'watch' | 'pollMs' | 'slowPollMs'>;

/**
 * Calls `look` when something in the folder may have changed, with the entry's name where the system says it, and from time to
 * time in any case. Returns what ends it. A folder that is not there, or that the system cannot watch, is looked at more often.
 */
export function watchFolder(
  path: string,
  settings: WatchSettings,
  look: (name: string | null) => void,
): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  let watcher: FSWatcher | null = null;
  const poll = (periodMs: number): void => {
    clearInterval(timer);
    timer = setInterval(() => look(null), periodMs);
  };
  const stopWatching = (): void => {
    watcher?.close();
    watcher = null;
  };
  if (settings.watch) {
    watcher = tryWatch(path, look, () => {
      stopWatching();
      poll(settings.pollMs);
    });
  }
  poll(watcher === null ? settings.pollMs : settings.slowPollMs);
  return {
    stop: () => {
      clearInterval(timer);
      stopWatching();
    },
  };
}

/** Null where the system cannot: no such folder, no watches left, a file system without them. */
function tryWatch(path: string, look: (name: string | null) => void, onFailed: () => void): FSWatcher | null {
  try {
    return watch(path, (_event, name) => look(name)).on('error', onFailed);
  } catch {
    return null;
  }
}
