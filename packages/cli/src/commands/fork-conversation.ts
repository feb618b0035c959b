/** Makes a session of the conversation an agent of a graph run had. */
import { isRefusal, type Refusal } from '@ramet/core/codes';
import type { RunId } from '@ramet/core/events';
import { describeConversation } from '@ramet/runtime/answers';
import { type ConversationForkOptions, forkConversation } from '@ramet/runtime/graph';
import type { FileStore } from '@ramet/runtime/store';
import type { CliContext } from '../context.ts';
import type { ForkFlags } from '../flags.ts';
import type { Answer } from '../output/answer.ts';
import { renderConversation } from '../output/conversation-fork.ts';
import { servicesOf } from './drive.ts';

/** Makes the session that the flags of `fork --as-session` ask for. */
export async function forkAsSession(
  context: CliContext,
  request: { readonly store: FileStore; readonly source: RunId; readonly flags: ForkFlags },
): Promise<Answer | Refusal> {
  const { store, source, flags } = request;
  const started = context.elapsed();
  const made = await forkConversation(servicesOf(context, store), source, optionsOf(flags));
  if (isRefusal(made)) return made;
  const ms = context.elapsed() - started;
  const json = describeConversation(store, made);
  const notes = renderConversation(store, json, ms);
  const { session } = made;
  return session === null ? { json, text: notes } : { json, text: `${session}\n`, notes };
}

function optionsOf({ node, visit, item, at, title, idempotencyKey, dryRun }: ForkFlags): ConversationForkOptions {
  return {
    ...(node === undefined ? {} : { node }),
    ...(visit === undefined ? {} : { visit }),
    ...(item === undefined ? {} : { item }),
    ...(at === undefined ? {} : { at }),
    ...(title === undefined ? {} : { title }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(dryRun === true ? { dryRun } : {}),
  };
}
