/** A session made of an agent's conversation as text: what it holds, and what comes back of the files. */
import { knownEvent, type RunId } from '@ramet/core/events';
import { escapeLine, renderBytes, renderCount } from '@ramet/core/text';
import type { DescribedConversation } from '@ramet/runtime/answers';
import { shortenIds } from '@ramet/runtime/inspect';
import type { FileStore } from '@ramet/runtime/store';
import { renderWorkspace } from './session-fork.ts';

/** What a person is told of it. */
export function renderConversation(store: FileStore, made: DescribedConversation, ms: number): string {
  const { session, forkedFrom, turns, workspace, bytes } = made;
  const short = shortenIds(store, [forkedFrom.id]);
  const origin = `node ${escapeLine(forkedFrom.fromNode)} of run ${short(forkedFrom.id)} at ${forkedFrom.offset}`;
  const events = renderCount(forkedFrom.through + 1, 'event');
  const sizes = `${renderCount(turns, 'turn')}, ${events}, ${renderBytes(bytes.own)}`;
  const first =
    session === null
      ? `would make a session from ${origin}: ${sizes}`
      : `made a session from ${origin}: ${sizes}, ${ms.toFixed(1)} ms, 0 tokens`;
  const goOn = session === null ? [] : renderGoingOn(store, session, short(session));
  return [first, ...renderWorkspace({ workspace }), ...goOn].map((line) => `${line}\n`).join('');
}

/** A script of a graph run has replies for its nodes alone. */
function renderGoingOn(store: FileStore, session: RunId, short: string): readonly string[] {
  const script = findScript(store, session);
  if (script === null) return [`go on: ramet run --session ${short} "..."`];
  return [
    `its model was a script for the nodes of the run (${escapeLine(script)}), which has no replies for a session`,
    `go on with another one: ramet run --session ${short} --model <name> "..."`,
  ];
}

/** The path of the script that the conversation had last; null where its model was none. */
function findScript(store: FileStore, session: RunId): string | null {
  let script: string | null = null;
  for (const event of store.read(session)?.readEvents() ?? []) {
    const known = event.type === 'session.config' ? knownEvent(event) : null;
    if (known?.type === 'session.config') script = known.model.script?.path ?? null;
  }
  return script;
}
