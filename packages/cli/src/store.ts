/** Opens the store and finds the runs a person means. */
import { resolve } from 'node:path';
import { Failure, isRefusal, type Refusal, refuse } from '@ramet/core/codes';
import type { RunId } from '@ramet/core/events';
import { resolveRunId, shortIdsOf } from '@ramet/core/runs';
import { findNetworkFileSystem, findStateFolderFault } from '@ramet/runtime/inspect';
import { type FileStore, openFileStore, refuseDamaged, stateFolderOf } from '@ramet/runtime/store';
import type { CliContext } from './context.ts';

/** The state folder of this environment; absolute. */
export function stateFolderIn(context: CliContext): string {
  return resolve(context.cwd, stateFolderOf(context.env));
}

/** The store of this environment; throws `state_unusable` where there can be none, `network_file_system` where its locks could not be relied on. */
export function openStore(context: CliContext): FileStore {
  const home = stateFolderIn(context);
  const fault = findStateFolderFault(home);
  if (fault !== null) {
    throw new Failure(
      'state_unusable',
      `the state folder ${home} cannot be used: ${fault}; set RAMET_HOME to a folder you own`,
      {
        data: { home },
      },
    );
  }
  const network = context.env.RAMET_ALLOW_NETWORK_FS === '1' ? null : findNetworkFileSystem(home);
  if (network !== null) {
    throw new Failure(
      'network_file_system',
      `the state folder ${home} is on ${network}, where locks cannot be relied on; set RAMET_HOME to a local folder, or RAMET_ALLOW_NETWORK_FS=1 if only this machine uses it`,
      { data: { home, fileSystem: network } },
    );
  }
  return openFileStore({ home, now: context.now });
}

/** The run a text names. */
export function findRun(store: FileStore, text: string): RunId | Refusal {
  return resolveRunId(text, store.listRuns());
}

/** Whether a run is a graph run; one whose first event cannot be read counts as a session. */
export function isGraphRun(store: FileStore, id: RunId): boolean {
  return store.read(id)?.readOutline().heads[0]?.graph !== undefined;
}

/** The graph run a text names; refuses a session with `not_a_graph_run`. */
export function findGraphRun(store: FileStore, text: string): RunId | Refusal {
  const id = findRun(store, text);
  if (isRefusal(id) || isGraphRun(store, id)) return id;
  const outline = store.read(id)?.readOutline();
  if (outline !== undefined && outline.damage !== null && outline.heads[0]?.start === undefined) {
    return refuseDamaged(id, outline);
  }
  return refuse('not_a_graph_run', `${id} is a session: go on with it by \`ramet run --session ${id}\``, { id });
}

/** What to call some runs, without an article. */
export function nounFor(store: FileStore, ids: readonly RunId[]): 'session' | 'run' {
  return ids.some((id) => isGraphRun(store, id)) ? 'run' : 'session';
}

/** The runs some texts name, all or none. */
export function findRuns(store: FileStore, texts: readonly string[]): readonly RunId[] | Refusal {
  const ids = store.listRuns();
  const found: RunId[] = [];
  for (const text of texts) {
    const id = resolveRunId(text, ids);
    if (isRefusal(id)) return id;
    found.push(id);
  }
  return [...new Set(found)];
}

/** How to show ids so that they are accepted back: unique among all runs, and the others given. */
export function shortenIds(store: FileStore, others: Iterable<RunId> = []): (id: RunId) => string {
  const short = shortIdsOf([...store.listRuns(), ...others]);
  return (id) => short.get(id) ?? id;
}
