/** How the last turn of a session stands, read from its log: what driving it here would have answered. */
import { type Refusal, refuse } from '@ramet/core/codes';
import type { LoggedEvent, RunId } from '@ramet/core/events';
import { createSessionFold, type OpenTurn, type SessionState } from '@ramet/core/session';
import { decoderOf } from '@ramet/core/transcript';
import type { TurnResult } from '@ramet/runtime/session';
import type { FileStore, LogReader } from '@ramet/runtime/store';
import { builtinTools } from '@ramet/runtime/tools';

type Decode = ReturnType<typeof decoderOf>;

/** Reads how the last turn ended or what it waits for; refuses one that was left in its middle. */
export function readTurnResult(store: FileStore, id: RunId): TurnResult | Refusal {
  const log = store.read(id);
  if (log === null) return refuse('unknown_run', `session ${id} was removed meanwhile`, { id });
  const { state, last } = foldTurns(log);
  if (state.open !== null) return describeOpen(id, state.open, decoderOf(log));
  if (last === null) return refuse('no_open_turn', `session ${id} has no turn`, { id });
  return describeEnd(state, last, decoderOf(log));
}

/** `last`: the turn that ended last, as it was before its end. */
function foldTurns(log: LogReader): { readonly state: SessionState; readonly last: OpenTurn | null } {
  const fold = createSessionFold();
  let last: OpenTurn | null = null;
  for (const event of log.readEvents()) {
    if (event.type === 'session.end') last = fold.state.open ?? last;
    fold.add(event);
  }
  return { state: fold.state, last };
}

function describeEnd(state: SessionState, turn: OpenTurn, decode: Decode): TurnResult {
  const { id, lastEnd: end, lastCheckpoint } = state;
  const checkpoint = end?.checkpoint === 'none' ? undefined : lastCheckpoint;
  return {
    kind: 'ended',
    session: id,
    turn: turn.turn,
    end: { offset: end?.seq ?? turn.start, reason: end?.reason ?? 'interrupted' },
    text: textOf(turn, decode),
    usage: turn.usage,
    denied: deniedOf(turn, decode),
    ...(end?.error === undefined ? {} : { error: end.error }),
    ...(checkpoint === undefined ? {} : { checkpoint: checkpoint as unknown as LoggedEvent }),
  };
}

function textOf({ lastReply }: OpenTurn, decode: Decode): string {
  const content = (lastReply?.content ?? []).map((part) => decode(part) as typeof part);
  return content.flatMap((part) => (part.type === 'text' && typeof part.text === 'string' ? [part.text] : [])).join('');
}

function deniedOf({ calls }: OpenTurn, decode: Decode): Extract<TurnResult, { readonly kind: 'ended' }>['denied'] {
  const tools = new Map(builtinTools().map((tool) => [tool.name, tool]));
  return calls.flatMap(({ callId, tool, input, result }) => {
    if (result?.outcome !== 'denied') return [];
    const reason = 'value' in result.output ? String(result.output.value) : 'denied';
    return [{ callId, tool, subject: tools.get(tool)?.subject(decode(input)) ?? '', reason }];
  });
}

/** A turn that waits for a person, or that nobody is at. */
function describeOpen(id: RunId, { turn, calls }: OpenTurn, decode: Decode): TurnResult | Refusal {
  const call = calls.find(({ result }) => result === undefined);
  const { intent, approvalRequest: asked, approval } = call ?? {};
  const parked = { kind: 'parked', session: id, turn, flags: [] } as const;
  if (call !== undefined && intent === undefined && asked !== undefined && approval === undefined) {
    const message = `${call.tool} waits for a person: ${String(decode(asked.reason))}`;
    return { ...parked, reason: 'approval_pending', offset: asked.seq, message };
  }
  if (call !== undefined && intent !== undefined && intent.effect === 'write' && intent.contained !== true) {
    const message = `nobody knows whether ${call.tool} at offset ${intent.seq} happened: ramet resolve ${id} --offset ${intent.seq} (--happened --result <json> | --did-not-happen | --retry)`;
    return { ...parked, reason: 'outcome_unknown', offset: intent.seq, message };
  }
  const message = `the daemon stopped in the middle of turn ${turn} of session ${id}; go on with it: ramet run --session ${id}`;
  return refuse('interrupted', message, { id, turn });
}
