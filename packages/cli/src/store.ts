/** The store of where a command runs. */
import { resolve } from 'node:path';
import type { RunId } from '@ramet/core/events';
import { isGraphRun, openUsableStore } from '@ramet/runtime/inspect';
import { type FileStore, stateFolderOf } from '@ramet/runtime/store';
import type { CliContext } from './context.ts';

/** The state folder of this environment; absolute. */
export function stateFolderIn(context: CliContext): string {
  return resolve(context.cwd, stateFolderOf(context.env));
}

/** The store of this environment; throws as `openUsableStore`. */
export function openStore(context: CliContext): FileStore {
  const { now, env } = context;
  return openUsableStore({ home: stateFolderIn(context), now, env });
}

/** What to call some runs, without an article. */
export function nounFor(store: FileStore, ids: readonly RunId[]): 'session' | 'run' {
  return ids.some((id) => isGraphRun(store, id)) ? 'run' : 'session';
}
