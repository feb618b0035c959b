/** Sessions that die at a chosen event, and logs cut where a crash may cut them. */
import { readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal, type Refusal, type RunId } from '@ramet/core';
import type { TurnResult } from '@ramet/runtime/session';
import type { ScriptReply, SessionHarness, TurnOptions } from '@ramet/testkit';

/** One scripted turn of a session that is there already. */
export interface CutTurn {
  readonly session: RunId;
  readonly replies: readonly ScriptReply[];
  readonly options?: TurnOptions;
  /** How many messages the log had before this turn. */
  readonly messages: number;
}

const DEATH = new Error('the process dies here');

/** Runs a turn that dies as soon as event `at` is recorded; its log then holds nothing after event `keep`. */
export async function dieAt(h: SessionHarness, turn: CutTurn, cut: { at: number; keep: number }): Promise<void> {
  const observer = {
    event: ({ seq }: { readonly seq: number }) => {
      if (seq === cut.at) throw DEATH;
    },
  };
  const running = h.run(turn.session, turn.replies, { ...turn.options, observer });
  const outcome = await running.then(
    () => 'it lived',
    (error: unknown) => error,
  );
  if (outcome !== DEATH) throw new Error(`the turn did not die at event ${cut.at}`, { cause: outcome });
  cutLog(join(h.store.pathsOf(turn.session).folder, 'log'), cut.keep + 1);
}

/** Cuts a log of one segment after so many events, and so many bytes of the next. */
export function cutLog(folder: string, events: number, bytes = 0): void {
  const [segment = '', ...rest] = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  if (rest.length > 0) throw new Error('the log has more than one segment');
  for (const name of readdirSync(folder)) if (name.endsWith('.idx')) rmSync(join(folder, name));
  const path = join(folder, segment);
  const lines = readFileSync(path, 'latin1').split('\n');
  const length = lines.slice(0, events).reduce((sum, line) => sum + line.length + 1, 0);
  truncateSync(path, length + bytes);
}

/** Continues what was cut: the open turn, or the message that was never recorded. Null: the turn had ended. */
export async function resume(h: SessionHarness, turn: CutTurn): Promise<TurnResult | null> {
  const begun = h.eventsOfType(turn.session, 'message').length > turn.messages;
  if (!begun) return expectResult(await h.run(turn.session, turn.replies, turn.options));
  const last = h.eventsOf(turn.session).findLast(({ type }) => type === 'message' || type === 'session.end');
  if (last?.type === 'session.end') return null;
  return expectResult(await h.run(turn.session, null, { ...turn.options, prompt: null }));
}

function expectResult(result: TurnResult | Refusal): TurnResult {
  if (isRefusal(result)) throw new Error(JSON.stringify(result));
  return result;
}
