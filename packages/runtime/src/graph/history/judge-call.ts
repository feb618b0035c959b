/**
 * Holds a call of a forked run against those of its source that the child may make again (docs/graphs.md, W23).
 *
 * 1. A write that a person acknowledged is made again once, with a new key; also after a crash, never twice.
 * 2. Any other write of a node that had written there waits for a person; so does one that was made there by another
 *    node, whose name or item is not this one's now.
 * 3. An idempotent call that was made there presents the key it had: its receiver then does nothing twice.
 */
import {
  canonicalJson,
  decodeValue,
  type EventOf,
  knownEvent,
  type NodePath,
  type OutstandingWrite,
  type RewalkCall,
} from '@ramet/core';
import { isSameInput } from '../../session/turn/calls/outstanding.ts';
import type { PolicyCall, PolicyVerdict } from '../../session/turn/calls/policy.ts';
import { type LogReader, sha256 } from '../../store/index.ts';
import type { OpenRun } from '../drive/types.ts';
import type { ExecInput } from '../nodes/exec.ts';

/** A call of a node; `index`: among those of this entry of the node, from 0. */
export interface JudgedCall extends PolicyCall {
  readonly node: NodePath;
  readonly index: number;
}

/** What the source's calls say about one; null when nothing. */
export function judgeCall(run: OpenRun, call: JudgedCall): PolicyVerdict | null {
  if (run.rewalk.size === 0) return null;
  if (call.effect === 'idempotent') return findKey(run, call, run.rewalk.get(call.node) ?? []);
  return call.effect === 'write' && call.contained !== true ? judgeWrite(run, call) : null;
}

function judgeWrite(run: OpenRun, call: JudgedCall): PolicyVerdict | null {
  const here = writesOf(run.rewalk.get(call.node) ?? []);
  const writes = here.length > 0 ? here : listSame(run, call);
  if (writes.length === 0) return null;
  const free = writes.find(
    (entry) => entry.acknowledged && !run.journal.calls.used.has(entry.offset) && isSame(run, entry, call),
  );
  if (free !== undefined) return { kind: 'acknowledged', offset: free.offset };
  return {
    kind: 'ask',
    reason: explainAsking(run, call, writes),
    outstanding: writes.flatMap((entry) => describeWrite(run, entry)),
  };
}

function explainAsking(run: OpenRun, call: JudgedCall, writes: readonly RewalkCall[]): string {
  const { failed } = run.journal.calls;
  const spent = writes.find((entry) => failed.has(entry.offset) && isSame(run, entry, call));
  if (spent !== undefined)
    return `the acknowledgement of write ${spent.offset} was used by a call that failed; it is asked about anew`;
  return (
    `in the run this one was forked from, ${nameWrites(writes)}, and this call is none of those that were ` +
    'acknowledged, or was made again already'
  );
}

function writesOf(entries: readonly RewalkCall[]): readonly RewalkCall[] {
  return entries.filter(({ effect }) => effect === 'write');
}

/** The very call, wherever it was made: a document may have named its node anew, a list may be in another order. */
function listSame(run: OpenRun, call: JudgedCall): readonly RewalkCall[] {
  return [...run.rewalk.values()].flatMap((entries) => writesOf(entries).filter((entry) => isSame(run, entry, call)));
}

/** The most that a question names. */
const NAMED_WRITES = 10;

function nameWrites(writes: readonly RewalkCall[]): string {
  const named = writes.slice(0, NAMED_WRITES).map(({ node, offset }) => `${node} wrote at ${offset}`);
  const more = writes.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

/** By the digest of the input; without its volatile fields as long as the source's log is there. */
function isSame(run: OpenRun, entry: RewalkCall, call: JudgedCall): boolean {
  if (entry.tool !== call.tool) return false;
  if (entry.inputDigest === sha256(canonicalJson(call.input))) return true;
  if (call.volatile === undefined || call.volatile.length === 0) return false;
  return describeWrite(run, entry).some(({ input }) => isSameGiven(call, input));
}

/** Of a program the fields are those of what it was given; its command is the same in any case. */
function isSameGiven(call: JudgedCall, other: unknown): boolean {
  if (call.tool !== 'exec') return isSameInput(call, other);
  const [own, recorded] = [call.input, other] as readonly ExecInput[];
  if (own === undefined || recorded === undefined) return false;
  const sameCommand = canonicalJson(own.command) === canonicalJson(recorded.command);
  return sameCommand && isSameInput({ ...call, input: own.input }, recorded.input);
}

/** The same call at the same place, or else the first that this run has not made. */
function findKey(run: OpenRun, call: JudgedCall, entries: readonly RewalkCall[]): PolicyVerdict | null {
  const { keys } = run.journal.calls;
  const same = entries.filter((entry) => entry.effect === 'idempotent' && isSame(run, entry, call));
  const found = same.find(({ index }) => index === call.index) ?? same.find(({ key }) => !keys.has(key));
  return found === undefined ? null : { kind: 'known', key: found.key };
}

/** What a person is shown of a write of the source, as long as its log is there. */
function describeWrite(run: OpenRun, entry: RewalkCall): readonly OutstandingWrite[] {
  const { forkedFrom } = run.journal.state;
  const log = forkedFrom === undefined ? null : run.services.store.read(forkedFrom.id);
  if (log === null || log.readOutline().damage !== null) return [];
  const [intent] = [...log.readEvents({ from: entry.offset, to: entry.offset })].map((event) => knownEvent(event));
  if (intent?.type !== 'tool.intent' || intent.key !== entry.key) return [];
  return [toWrite(intent, { result: findResult(log, intent), readPayload: log.readPayload })];
}

/** What is recorded of how a call ended, before its node did. */
function findResult(log: LogReader, intent: EventOf<'tool.intent'>): EventOf<'tool.result'> | undefined {
  for (const event of log.readEvents({ from: intent.seq + 1 })) {
    if (event.node !== intent.node) continue;
    const known = knownEvent(event);
    if (known?.type === 'node.exit') return undefined;
    if (known?.type === 'tool.result' && known.callId === intent.callId) return known;
  }
  return undefined;
}

function toWrite(
  intent: EventOf<'tool.intent'>,
  { result, readPayload }: { readonly result?: EventOf<'tool.result'> | undefined } & Pick<LogReader, 'readPayload'>,
): OutstandingWrite {
  const { seq: offset, callId, tool, input, key, time } = intent;
  const egress = result?.egress === undefined ? {} : { egress: result.egress };
  const outcome = result?.outcome ?? 'open';
  return { offset, callId, tool, input: decodeValue(input, readPayload), key, time, ...egress, outcome };
}
