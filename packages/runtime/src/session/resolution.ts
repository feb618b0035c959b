/**
 * A person's word on a call whose outcome nobody recorded: it began, it may have reached the outside, and its owner
 * died, or nobody answered it. The next command that goes on with the session acts on it.
 */
import {
  type CallState,
  createSessionFold,
  type EventDraft,
  type EventOf,
  isRefusal,
  type Refusal,
  type RunId,
  refuse,
  type ToolOutput,
} from '@ramet/core';
import type { OwnedLog, RunStore } from '../store/index.ts';
import { reachFlags } from './reach.ts';

export interface ResolutionRequest {
  readonly id: RunId;
  /** Offset of the call's `tool.intent`. */
  readonly offset: number;
  readonly resolution: EventOf<'tool.resolve'>['resolution'];
  /** What the call answered; only with `happened`. */
  readonly output?: ToolOutput;
}

export interface Resolution {
  readonly id: RunId;
  readonly offset: number;
  readonly callId: string;
  readonly tool: string;
  readonly resolution: ResolutionRequest['resolution'];
  /** Flags the command that goes on needs: a call is sent again with the sandbox and the network it began with. */
  readonly flags: readonly string[];
}

/** Records the word; refuses an offset that is no call waiting for one, naming those that are. */
export async function resolveCall(store: RunStore, request: ResolutionRequest): Promise<Resolution | Refusal> {
  const log = await store.own(request.id);
  if (isRefusal(log)) return log;
  try {
    const waiting = findWaiting(log);
    const call = waiting.find(({ intent }) => intent?.seq === request.offset);
    if (call === undefined) return refuseOffset(request, waiting);
    await log.append([draftResolution(call, request)], { durable: true });
    const { id, offset, resolution } = request;
    const flags = resolution === 'retry' ? reachFlags(call.under) : [];
    return { id, offset, callId: call.callId, tool: call.tool, resolution, flags };
  } finally {
    log.close();
  }
}

/** Calls that began, have no result, and could have left the workspace. */
function findWaiting(log: OwnedLog): readonly CallState[] {
  const fold = createSessionFold();
  for (const event of log.readEvents()) fold.add(event);
  const calls = fold.state.open?.calls ?? [];
  return calls.filter(
    ({ intent, result }) => result === undefined && intent?.effect === 'write' && intent.contained !== true,
  );
}

function draftResolution(call: CallState, request: ResolutionRequest): EventDraft {
  return {
    type: 'tool.resolve',
    callId: call.callId,
    intent: request.offset,
    resolution: request.resolution,
    ...(request.output === undefined ? {} : { output: request.output }),
  };
}

function refuseOffset({ id, offset }: ResolutionRequest, waiting: readonly CallState[]): Refusal {
  const offsets = waiting.map(({ intent }) => intent?.seq);
  const those = offsets.length === 0 ? 'no call does' : `these do: ${offsets.join(', ')}`;
  return refuse('nothing_to_do', `no call at offset ${offset} of ${id} waits for a word about its outcome; ${those}`, {
    id,
    offset,
    waiting: offsets,
  });
}
