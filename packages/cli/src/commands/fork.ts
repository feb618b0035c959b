import { isRefusal, type Refusal, refuse } from '@ramet/core/codes';
import { makeRunId, type RunId } from '@ramet/core/events';
import { type DescribedFork, describeFork } from '@ramet/runtime/answers';
import { type ForkOptions, forkSession } from '@ramet/runtime/fork';
import { findRun, isGraphRun } from '@ramet/runtime/inspect';
import type { FileStore } from '@ramet/runtime/store';
import type { CliContext } from '../context.ts';
import { orByDaemon } from '../daemon/through.ts';
import type { ForkFlags } from '../flags.ts';
import type { Action } from '../output/answer.ts';
import { renderFork } from '../output/session-fork.ts';
import { openStore } from '../store.ts';

/** Forks a session or a graph run, or makes a session of the conversation an agent of a run had. */
export const fork: Action<ForkFlags, [string]> = async (context, flags, [text]) => {
  const store = openStore(context);
  const source = findRun(store, text);
  if (isRefusal(source)) return source;
  const isRun = isGraphRun(store, source);
  const misuse = isRun ? findRunMisuse(flags) : findSessionMisuse(flags);
  if (misuse !== null) return refuse('bad_usage', misuse, { id: source });
  if (flags.asSession) return (await import('./fork-conversation.ts')).forkAsSession(context, { store, source, flags });
  if (isRun) return (await import('./fork-run.ts')).forkGraphRun(context, { store, source, flags });
  const started = context.elapsed();
  const described = await makeFork(context, store, { source, flags });
  if (isRefusal(described)) return described;
  const ms = context.elapsed() - started;
  const notes = renderFork(context, { store, described, ms });
  const { session } = described;
  return session === null ? { json: described, text: notes } : { json: described, text: `${session}\n`, notes };
};

const SESSION_FLAGS: readonly string[] = ['json', 'at', 'title', 'idempotencyKey', 'dryRun'];
const CONVERSATION_FLAGS: readonly string[] = [...SESSION_FLAGS, 'asSession', 'node', 'visit', 'item'];

/** Flags of graph runs say nothing about a session. */
function findSessionMisuse(flags: ForkFlags): string | null {
  const wrong = findOther(flags, SESSION_FLAGS);
  if (wrong === undefined) return null;
  return `${nameFlag(wrong)} is for graph runs; a session takes ${SESSION_FLAGS.map(nameFlag).join(', ')}`;
}

function findOther(flags: ForkFlags, known: readonly string[]): string | undefined {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined && value !== false);
  return given.find(([name]) => !known.includes(name))?.[0];
}

/** Nothing is walked again: what a walk takes says nothing here. */
function findConversationMisuse(flags: ForkFlags): string | null {
  const wrong = findOther(flags, CONVERSATION_FLAGS);
  if (wrong !== undefined) {
    const known = CONVERSATION_FLAGS.filter((name) => name !== 'asSession').map(nameFlag);
    return `${nameFlag(wrong)} does not go with --as-session, which takes ${known.join(', ')}`;
  }
  const { at, node, visit, item } = flags;
  if (at !== undefined && node !== undefined) return '--at and --node exclude each other';
  if (at === undefined && node === undefined) {
    return 'say whose conversation: --node <agent>, or --at <offset> of where it was entered (`ramet show <id>` lists both)';
  }
  if (node === undefined && visit !== undefined) return '--visit goes with --node';
  return node === undefined && item !== undefined ? '--item goes with --node' : null;
}

function findRunMisuse(flags: ForkFlags): string | null {
  if (flags.asSession) return findConversationMisuse(flags);
  const { at, fromNode, node, visit, item, dryRun, noStart } = flags;
  if (node !== undefined) return '--node goes with --as-session; a fork that walks again begins --from-node <node>';
  if (at !== undefined && fromNode !== undefined) return '--at and --from-node exclude each other';
  if (at === undefined && fromNode === undefined) {
    return 'say where to fork the run: --from-node <node>, or --at <offset> of an entered node (`ramet show <id>` lists both)';
  }
  if (fromNode === undefined && visit !== undefined) return '--visit goes with --from-node';
  if (fromNode === undefined && item !== undefined) return '--item goes with --from-node';
  return dryRun && noStart ? '--dry-run makes nothing that could start: --no-start does not go with it' : null;
}

function nameFlag(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Forks as the flags of `fork` and of `run --fork` say; by the daemon, where it is at work in the source. */
export async function makeFork(
  context: CliContext,
  store: FileStore,
  request: { readonly source: RunId; readonly flags: Partial<ForkFlags> },
): Promise<DescribedFork | Refusal> {
  const { at, title, idempotencyKey, dryRun } = request.flags;
  const { source } = request;
  const options: ForkOptions = {
    ...(at === undefined ? {} : { at }),
    ...(title === undefined ? {} : { title }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(dryRun === true ? { dryRun } : {}),
  };
  const makeId = (): RunId => makeRunId(context.now(), context.randomBytes(10));
  const made = await forkSession({ store, makeId }, source, options);
  return orByDaemon(context, isRefusal(made) ? made : describeFork(store, source, made), {
    store,
    id: source,
    act: async (client) => (await import('../daemon/forks.ts')).forkSessionThere(client, source, options),
  });
}
