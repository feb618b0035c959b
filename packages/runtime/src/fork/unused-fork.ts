import { deriveSessionOverview, type RunId } from '@ramet/core';
import type { RunStore } from '../store/index.ts';

/** Removes a fork that was made for a turn which did not begin; one that holds anything of its own stays. */
export async function dropUnusedFork(store: RunStore, fork: RunId): Promise<void> {
  const outline = store.read(fork)?.readOutline();
  const overview = outline === undefined ? null : deriveSessionOverview(outline.heads);
  if (overview !== null && overview.ownTurns === 0 && !overview.turnOpen) await store.remove(fork);
}
