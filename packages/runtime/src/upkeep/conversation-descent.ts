/**
 * Checks a session that was made of a node's conversation (docs/log-format.md, L31 to L33): against itself, and against
 * the run where that still exists.
 */
import {
  canonicalJson,
  decodeValue,
  type EventDraft,
  type EventOf,
  isRefusal,
  knownEvent,
  type LoggedEvent,
  type NodeOrigin,
  type NodePath,
  type RunId,
  takeConversation,
} from '@ramet/core';
import { readRunGraph } from '../inspect/runs/index.ts';
import { type FileStore, type LogOutline, type LogReader, sha256 } from '../store/index.ts';
import type { Problem } from './verify.ts';

/** What was found of a conversation that a session was made of. */
export interface ConversationCheck {
  readonly problems: readonly Problem[];
  /** The run is gone: what was taken of it is compared with nothing. */
  readonly gone?: { readonly id: RunId; readonly fromNode: NodePath };
}

/** Checks the `forkedFrom` of a session's event 0; null when it has none. */
export function verifyConversation(store: FileStore, log: LogReader, outline: LogOutline): ConversationCheck | null {
  // Of a log that is damaged in event 0 the outline says nothing, and nothing is read.
  if (outline.heads[0]?.start?.forkedFrom === undefined) return null;
  const start = readStart(log);
  const origin = start?.forkedFrom;
  if (start === null || origin === undefined) return null;
  const own = { log, through: findLastTaken(outline, origin), workspace: start.workspace };
  const faults = origin.id === start.id ? ['the session names itself as the run it was made of'] : [];
  const run = origin.id === start.id ? null : store.read(origin.id);
  const found = run === null ? faults : [...faults, ...compare(store, { origin, own, run })];
  const problems = found.map((message): Problem => ({ kind: 'descent', message, offset: 0 }));
  if (run !== null || faults.length > 0) return { problems };
  return { problems, gone: { id: origin.id, fromNode: origin.fromNode } };
}

function readStart(log: LogReader): EventOf<'session.start'> | null {
  for (const event of log.readEvents({ from: 0, to: 0 })) {
    const known = knownEvent(event);
    if (known?.type === 'session.start') return known;
  }
  return null;
}

/** A fork at a turn that was taken holds less, and so does what lies before a damage. */
function findLastTaken(outline: LogOutline, { through }: NodeOrigin): number {
  const fork = outline.heads.flatMap((_, segment) => outline.readDetail(segment).forks).at(0);
  return Math.min(through, (fork?.offset ?? Number.MAX_SAFE_INTEGER) - 1, (outline.damage?.offset ?? through + 1) - 1);
}

interface Compared {
  readonly origin: NodeOrigin;
  readonly own: {
    readonly log: LogReader;
    readonly through: number;
    readonly workspace: EventOf<'session.start'>['workspace'];
  };
  readonly run: LogReader;
}

function compare(store: FileStore, { origin, own, run }: Compared): readonly string[] {
  const { id, offset, digest, fromNode: node, from } = origin;
  const { heads, damage } = run.readOutline();
  // Of a run that is damaged before that offset nothing can be said.
  if (damage !== null && damage.offset <= offset) return [];
  const [line] = run.readBytes({ from: offset, to: offset });
  const found = line === undefined ? 'none' : sha256(line.subarray(0, -1));
  if (found !== digest) return [`run ${id} has digest ${found} at offset ${offset}, the session names ${digest}`];
  const graph = heads[0]?.graph === undefined ? null : readRunGraph(store, heads[0].graph.graph);
  if (graph === null) return [];
  const { workspace } = own;
  if (workspace === 'overlay') return ['no session is made of a conversation in an overlay'];
  const source = { events: run.readEvents({ to: offset }), graph, decode: decodeOf(run) };
  const taken = takeConversation(source, { source: id, node, from, offset, workspace });
  if (isRefusal(taken)) return [`the session cannot have been made of run ${id}: ${taken.message}`];
  return findDifference(own, taken, id);
}

function findDifference({ log, through }: Compared['own'], taken: readonly EventDraft[], id: RunId): readonly string[] {
  const decode = decodeOf(log);
  for (const event of through < 1 ? [] : log.readEvents({ from: 1, to: through })) {
    const expected = taken[event.seq - 1];
    if (canonicalJson(bodyOf(event, decode)) === canonicalJson(expected)) continue;
    return [`the event at offset ${event.seq} is not what run ${id} says`];
  }
  return [];
}

function bodyOf({ seq: _seq, prev: _prev, time: _time, ...body }: LoggedEvent, decode: (value: unknown) => unknown) {
  return decode(body);
}

function decodeOf(log: LogReader): (value: unknown) => unknown {
  return (value) => decodeValue(value, log.readPayload);
}
