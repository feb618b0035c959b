/** A session made of an agent's conversation as text: what it holds, and what comes back of the files. */
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
  const goOn = session === null ? [] : [`go on: ramet run --session ${short(session)} "..."`];
  return [first, ...renderWorkspace({ workspace }), ...goOn].map((line) => `${line}\n`).join('');
}
