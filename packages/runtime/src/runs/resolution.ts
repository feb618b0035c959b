/**
 * A person's word on a call whose outcome nobody recorded: it began, it may have reached the outside, and its owner
 * died, or nobody answered it. The next command that goes on with the session acts on it.
 */
import {
  createSessionFold,
  type EventDraft,
  type EventOf,
  findUnknownCalls,
  isRefusal,
  type NodePath,
  type Refusal,
  type RunId,
  refuse,
  type ToolOutput,
} from '@ramet/core';
import { foldRun } from '../graph/history/fold-run.ts';
import { reachFlags } from '../session/reach.ts';
import type { FileStore, OwnedLog } from '../store/index.ts';

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
  /** The node of a graph run. */
  readonly node?: NodePath;
  readonly resolution: ResolutionRequest['resolution'];
  /** Flags the command that goes on needs: a call is sent again with the sandbox and the network it began with. */
  readonly flags: readonly string[];
}

/** Records the word; refuses an offset that is no call waiting for one, naming those that are. */
export async function resolveCall(store: FileStore, request: ResolutionRequest): Promise<Resolution | Refusal> {
  const log = await store.own(request.id);
  if (isRefusal(log)) return log;
  try {
    const waiting = findWaiting(store, log);
    if (isRefusal(waiting)) return waiting;
    const call = waiting.find(({ offset }) => offset === request.offset);
    if (call === undefined) return refuseOffset(request, waiting);
    await log.append([draftResolution(call, request)], { durable: true });
    const { id, resolution } = request;
    const { offset, callId, tool, node, under } = call;
    const flags = resolution === 'retry' ? reachFlags(under) : [];
    return { id, offset, callId, tool, ...(node === undefined ? {} : { node }), resolution, flags };
  } finally {
    log.close();
  }
}

/** A call that began, has no result, and could have left the workspace. */
interface WaitingCall {
  /** Of its intent. */
  readonly offset: number;
  readonly callId: string;
  readonly tool: string;
  readonly node?: NodePath;
  /** What its owner ran with. */
  readonly under?: EventOf<'session.config'>;
}

function findWaiting(store: FileStore, log: OwnedLog): readonly WaitingCall[] | Refusal {
  const [start] = log.readEvents({ from: 0, to: 0 });
  return start?.type === 'graph.start' ? findInRun(store, log) : findInSession(log);
}

function findInRun(store: FileStore, log: OwnedLog): readonly WaitingCall[] | Refusal {
  const folded = foldRun(store, log);
  if (isRefusal(folded)) return folded;
  const under = folded.last === undefined ? {} : { under: folded.last };
  return findUnknownCalls(folded.fold.state).map(({ path: node, offset, callId, tool }) => ({
    offset,
    callId,
    tool,
    node,
    ...under,
  }));
}

function findInSession(log: OwnedLog): readonly WaitingCall[] {
  const fold = createSessionFold();
  for (const event of log.readEvents()) fold.add(event);
  const calls = fold.state.open?.calls ?? [];
  return calls.flatMap(({ intent, result, callId, tool, under }) => {
    if (intent === undefined || result !== undefined || intent.effect !== 'write' || intent.contained === true)
      return [];
    return [{ offset: intent.seq, callId, tool, ...(under === undefined ? {} : { under }) }];
  });
}

function draftResolution({ callId, node }: WaitingCall, request: ResolutionRequest): EventDraft {
  return {
    type: 'tool.resolve',
    ...(node === undefined ? {} : { node }),
    callId,
    intent: request.offset,
    resolution: request.resolution,
    ...(request.output === undefined ? {} : { output: request.output }),
  };
}

function refuseOffset({ id, offset }: ResolutionRequest, waiting: readonly WaitingCall[]): Refusal {
  const offsets = waiting.map((call) => call.offset);
  const those = offsets.length === 0 ? 'no call does' : `these do: ${offsets.join(', ')}`;
  return refuse('nothing_to_do', `no call at offset ${offset} of ${id} waits for a word about its outcome; ${those}`, {
    id,
    offset,
    waiting: offsets,
  });
}
