/** What the log holds of one agent: its conversation so far, and what former ones wrote outside. */
import { type EventOf, knownEvent, type LoggedEvent, type NodePath, type OutstandingWrite } from '@ramet/core';
import { isSameInput } from '../../session/turn/calls/outstanding.ts';
import type { PolicyCall, PolicyVerdict } from '../../session/turn/calls/policy.ts';
import type { OpenRun } from '../drive/types.ts';

export interface NodeEvents {
  /** Those of the conversation that goes on: since the node last failed, and none of another run's. */
  readonly events: readonly LoggedEvent[];
  /** Writes of earlier conversations that left the workspace, or may have. */
  readonly writes: readonly OutstandingWrite[];
}

/** Reads the events of an agent; a node that was entered for the first time has none. */
export function readNodeEvents({ journal, decode }: OpenRun, path: NodePath): NodeEvents {
  const { inheritedThrough, nodes } = journal.state;
  const { entered = 0, attempt = 1 } = nodes.get(path) ?? {};
  if (attempt === 1) return { events: [], writes: [] };
  let events: LoggedEvent[] = [];
  const former: LoggedEvent[] = [];
  const begin = (): void => {
    former.push(...events);
    events = [];
  };
  for (const event of journal.log.readEvents({ from: entered })) {
    if (event.seq === inheritedThrough + 1) begin();
    if (event.node !== path) continue;
    const known = event.type === 'node.exit' ? knownEvent(event) : null;
    if (known?.type === 'node.exit' && known.outcome !== 'interrupted') begin();
    else events.push(event);
  }
  return { events, writes: listWrites(former, decode) };
}

function listWrites(events: readonly LoggedEvent[], decode: OpenRun['decode']): readonly OutstandingWrite[] {
  const writes = new Map<string, { readonly intent: EventOf<'tool.intent'>; result?: EventOf<'tool.result'> }>();
  const found: OutstandingWrite[] = [];
  const settle = (callId: string): void => {
    const write = writes.get(callId);
    if (write !== undefined && hasLeft(write)) found.push(describe(write, decode));
    writes.delete(callId);
  };
  for (const event of events) {
    const known = knownEvent(event);
    if (known?.type === 'tool.intent' && known.effect === 'write' && known.contained !== true) {
      writes.set(known.callId, { intent: known });
    } else if (known?.type === 'tool.result') {
      const write = writes.get(known.callId);
      if (write !== undefined) write.result = known;
      settle(known.callId);
    }
  }
  for (const callId of writes.keys()) settle(callId);
  return found;
}

interface Write {
  readonly intent: EventOf<'tool.intent'>;
  readonly result?: EventOf<'tool.result'>;
}

function hasLeft({ intent, result }: Write): boolean {
  return intent.contained === false || result === undefined || (result.egress ?? []).length > 0;
}

function describe({ intent, result }: Write, decode: OpenRun['decode']): OutstandingWrite {
  const { seq: offset, callId, tool, input, key, time } = intent;
  return { offset, callId, tool, input: decode(input), key, time, outcome: result?.outcome ?? 'open' };
}

/** A write that an earlier attempt of the node has made already is asked about. */
export function judgeRepeated(call: PolicyCall, writes: readonly OutstandingWrite[]): PolicyVerdict | null {
  if (call.effect !== 'write' || call.contained === true) return null;
  const same = writes.filter(({ tool, input }) => tool === call.tool && isSameInput(call, input));
  const [first] = same;
  if (first === undefined) return null;
  const reason = `an attempt of this node that failed has made this very write already, at offset ${first.offset}`;
  return { kind: 'ask', reason, outstanding: same };
}
