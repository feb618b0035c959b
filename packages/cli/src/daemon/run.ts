/** A graph run that the daemon drives, as `ramet resume` and `ramet answer` show and answer it. */
import type { Client } from '@ramet/client';
import type { Refusal } from '@ramet/core/codes';
import type { NodePath, RunId } from '@ramet/core/events';
import { deriveRunOverview } from '@ramet/core/log';
import type { RunObserver, RunResult } from '@ramet/runtime/graph';
import type { FileStore } from '@ramet/runtime/store';
import type { Asker } from '../commands/settings.ts';
import type { CliContext, Interruption } from '../context.ts';
import type { Question } from './answerer.ts';
import { followDaemon } from './follow.ts';
import { readRunResult } from './run-result.ts';

export interface RunThere {
  readonly store: FileStore;
  readonly id: RunId;
  readonly observer: RunObserver;
  /** Absent: nobody is here to ask. */
  readonly ask?: Asker<Question>;
  readonly interruption: Interruption;
}

/** Follows a run from now on, until the daemon is not at work in it any more. */
export async function followRunThere(
  context: CliContext,
  client: Client,
  { store, id, observer, ask, interruption }: RunThere,
): Promise<RunResult | Refusal> {
  const from = deriveRunOverview(store.read(id)?.readOutline().heads ?? [])?.events ?? 0;
  const asking = ask === undefined ? {} : { ask };
  const left = await followDaemon(context, client, { store, id, from, observer, interruption, ...asking });
  return left ?? readRunResult(store, id);
}

/** Answers a gate of a run that the daemon drives; it acts on it. */
export async function answerGateThere(
  client: Client,
  id: RunId,
  { gate, answer }: { readonly gate?: number | NodePath; readonly answer: unknown },
): Promise<{ readonly node: NodePath; readonly gate: number }> {
  const body = { answer, start: false, ...(gate === undefined ? {} : { gate }) };
  const answered = await client.call('answerGate', { path: { id }, body });
  return { node: answered.node, gate: answered.gate };
}
