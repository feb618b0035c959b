/** What an outline takes from each type of event; types that are absent leave no mark. */
import type { EventOf, EventType, KnownEvent, LoggedEvent, NodeOrigin } from '../../events/index.ts';
import { addReply, joinUsage, NO_USAGE } from '../../usage/index.ts';
import { CALL_MARKERS } from './call-markers.ts';
import type { Draft, OutlinedLine } from './draft.ts';
import { type ForkMark, type NodeDescent, nodeFieldOf, type SessionStartMark } from './marks.ts';
import { RUN_MARKERS } from './run-markers.ts';

export type Marker<T extends EventType> = (draft: Draft, event: EventOf<T>, line: OutlinedLine) => void;
export type Markers = { readonly [T in EventType]?: Marker<T> };

const MARKERS: Markers = {
  ...RUN_MARKERS,
  ...CALL_MARKERS,
  'session.start': (draft, event) => {
    if (event.seq === 0) draft.head.start = markStart(event);
  },
  'session.fork': markFork,
  'session.title': (draft, event) => {
    draft.head.title = { offset: event.seq, title: event.title };
  },
  'session.config': ({ head }, event, { position, bytes }) => {
    head.model = event.model.name;
    if (event.node === undefined) head.config = { offset: event.seq, position, bytes };
  },
  message: markMessage,
  'session.end': markEnd,
  'workspace.checkpoint': (draft, event) => {
    draft.checkpoints.push({ offset: event.seq, id: event.id, ...nodeFieldOf(event) });
  },
  'model.response': markResponse,
};

/** Adds what a known event says. */
export function markEvent(draft: Draft, event: KnownEvent, line: OutlinedLine): void {
  (MARKERS[event.type] as Marker<EventType> | undefined)?.(draft, event, line);
}

/** The first event that a forked graph run did not inherit: its own usage and nodes count from here. */
export function markOwnStart({ head, enters }: Draft, event: LoggedEvent): void {
  head.ownStart = { offset: event.seq, usageBefore: head.usage, entersBefore: enters };
  head.ownUsage = NO_USAGE;
}

/** The last line that a session took from a node's conversation: its own usage and turns count from the next. */
export function markTaken({ head }: Draft, { seq }: LoggedEvent): void {
  // A fork at a turn that was taken has events of its own at these offsets.
  if (head.start?.forkedFrom?.through !== seq || head.fork !== undefined) return;
  head.taken = { offset: seq, usage: head.usage };
  head.ownUsage = NO_USAGE;
  head.ownMessages = 0;
}

function markStart(event: EventOf<'session.start'>): SessionStartMark {
  const { id, project, workspace, cwd, time, title, forkedFrom } = event;
  return {
    id,
    project,
    workspace,
    cwd,
    time,
    ...(title === undefined ? {} : { title }),
    ...(forkedFrom === undefined ? {} : { forkedFrom: descentOf(forkedFrom) }),
  };
}

function descentOf({ id, offset, digest, fromNode, through }: NodeOrigin): NodeDescent {
  return { id, offset, digest, fromNode, through };
}

function markFork(draft: Draft, event: EventOf<'session.fork'>, line: OutlinedLine): void {
  const { id, parent, digest, cwd, time } = event;
  const mark: ForkMark = {
    offset: event.seq,
    id,
    parent,
    at: event.offset,
    digest,
    cwd,
    ...(typeof event.title === 'string' ? { title: event.title } : {}),
    time,
    usageBefore: draft.head.usage,
    outstanding: Array.isArray(event.outstanding) ? event.outstanding.length : 0,
    position: line.position,
    bytes: line.bytes,
  };
  draft.forks.push(mark);
  draft.head.fork = mark;
  if (mark.title !== undefined) draft.head.title = { offset: mark.offset, title: mark.title };
  draft.head.ownUsage = NO_USAGE;
  draft.head.ownMessages = 0;
}

/** What an agent of a graph run is told is no message of a session. */
function markMessage({ head }: Draft, event: EventOf<'message'>): void {
  if (event.node !== undefined) return;
  head.messages += 1;
  head.ownMessages += 1;
  head.lastMessage = { offset: event.seq };
  // A prompt without text names nothing: the next one may.
  head.firstPrompt ||= promptOf(event);
}

function markEnd(draft: Draft, event: EventOf<'session.end'>, line: OutlinedLine): void {
  // Every call of an ended turn has its result; that of an agent is not the run's.
  if (event.node !== undefined) return;
  const checkpoint = typeof event.checkpoint === 'string' && event.checkpoint !== 'none' ? event.checkpoint : null;
  const mark = { offset: event.seq, position: line.position, bytes: line.bytes, reason: event.reason, checkpoint };
  draft.boundaries.push(mark);
  draft.openContained.clear();
  draft.head.boundaries += 1;
  draft.head.lastBoundary = mark;
}

function markResponse({ head }: Draft, event: EventOf<'model.response'>): void {
  // A failed attempt that reported no tokens is no reply; one that did was billed.
  if (event.message === undefined && event.usage === undefined) return;
  const reply = addReply(NO_USAGE, event.usage, event.cost);
  head.usage = joinUsage(head.usage, reply);
  head.ownUsage = joinUsage(head.ownUsage, reply);
}

/** The first line of a prompt, at most 200 characters: a title for a session that has none. */
function promptOf(event: EventOf<'message'>): string {
  const { content } = event.message;
  const parts = Array.isArray(content) ? content : [{ type: 'text', text: content }];
  for (const part of parts) {
    if (part?.type !== 'text' || typeof part.text !== 'string') continue;
    const line = part.text.trim().split('\n', 1)[0] ?? '';
    return line.slice(0, 200).toWellFormed();
  }
  return '';
}
