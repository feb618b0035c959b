/**
 * The outline of a segment: what lists, forks, usage and garbage collection need to know of its lines without reading
 * them. It is derived, kept in the segment's `.idx`, and rebuilt whenever in doubt (docs/log-format.md, "Index").
 *
 * 1. An outline is a function of the segment's lines alone; the outlines of a log's segments, in order, outline the log.
 * 2. The head has a size that does not depend on the number of lines; the detail grows with turns, not with lines.
 */
import {
  type Contained,
  type Digest,
  type Effect,
  type EndReason,
  type EventOf,
  type EventType,
  isEventType,
  type KnownEvent,
  knownEvent,
  type LoggedEvent,
  type RunId,
  type ToolOutcomeKind,
  type WorkspaceKind,
} from '../events/index.ts';
import { addReply, joinUsage, NO_USAGE, type UsageSum } from '../usage/index.ts';
import { mayNamePayload, payloadsIn } from './payload.ts';

/** A `session.end`, and where its line lies in its segment. */
export interface BoundaryMark {
  readonly offset: number;
  /** Of the line's first byte, from the segment's start. */
  readonly position: number;
  /** Of the line, without its newline. */
  readonly bytes: number;
  readonly reason: EndReason;
  /** Checkpoint id, or null when it holds none. */
  readonly checkpoint: string | null;
}

export interface StartMark {
  readonly id: RunId;
  readonly project: string | null;
  readonly workspace: WorkspaceKind;
  readonly cwd: string;
  readonly title?: string;
  readonly time: string;
}

/** A `session.fork`; `at` is the parent's offset. */
export interface ForkMark {
  readonly offset: number;
  readonly id: RunId;
  readonly parent: RunId;
  readonly at: number;
  readonly digest: Digest;
  readonly cwd: string;
  readonly title?: string;
  readonly time: string;
  /** Usage recorded in this segment before the fork. */
  readonly usageBefore: UsageSum;
  /** How many outstanding writes it lists, and where its line lies in the segment. */
  readonly outstanding: number;
  readonly position: number;
  readonly bytes: number;
}

/** A `tool.intent` that is not known to stay inside the workspace. */
export interface WriteMark {
  readonly offset: number;
  readonly callId: string;
  readonly tool: string;
  readonly effect: Effect;
  readonly contained: Contained;
  readonly key: string;
  readonly time: string;
  readonly position: number;
  readonly bytes: number;
}

/** What became of a `WriteMark`'s call. */
export interface WriteOutcomeMark {
  readonly offset: number;
  readonly callId: string;
  /** Offset of the intent it is about, where the event names it (`tool.resolve`). */
  readonly intent?: number;
  readonly outcome: ToolOutcomeKind | 'did_not_happen';
  readonly egress: readonly string[];
}

export interface SegmentHead {
  /** Offset of the first line; the segment holds `count` lines from there. */
  readonly first: number;
  readonly count: number;
  /** `prev` of the first line and SHA-256 of the last one. */
  readonly prev: Digest;
  readonly digest: Digest;
  /** Size of the complete lines, newlines included. */
  readonly bytes: number;
  readonly firstTime: string;
  readonly lastTime: string;
  /** Highest `schema` in it, 0 when none is named. */
  readonly schema: number;
  readonly start?: StartMark;
  /** The last fork in it. */
  readonly fork?: ForkMark;
  /** The last title that a `session.title` or a `session.fork` gave. */
  readonly title?: { readonly offset: number; readonly title: string };
  readonly model?: string;
  readonly messages: number;
  /** Messages after the last fork in it. */
  readonly ownMessages: number;
  readonly lastMessage?: { readonly offset: number };
  readonly firstPrompt?: string;
  readonly boundaries: number;
  readonly lastBoundary?: BoundaryMark;
  readonly usage: UsageSum;
  /** Usage after the last fork in it; all of it when there is none. */
  readonly ownUsage: UsageSum;
  /** How many `WriteMark`s and payloads the detail has. */
  readonly writes: number;
  readonly payloads: number;
  /** Lines of known types without their required fields. */
  readonly malformed: number;
}

export interface SegmentDetail {
  readonly boundaries: readonly BoundaryMark[];
  readonly forks: readonly ForkMark[];
  /** Checkpoint ids, each once. */
  readonly checkpoints: readonly string[];
  readonly writes: readonly WriteMark[];
  readonly writeOutcomes: readonly WriteOutcomeMark[];
  /** Contained calls whose results lie in a later segment, where they have a `WriteOutcomeMark`. */
  readonly openContained: readonly string[];
  readonly payloads: readonly { readonly offset: number; readonly digest: string; readonly bytes: number }[];
}

export interface SegmentOutline {
  readonly head: SegmentHead;
  readonly detail: SegmentDetail;
}

/** One line as the outliner wants it. */
export interface OutlinedLine {
  readonly event: LoggedEvent;
  readonly position: number;
  readonly bytes: number;
  /** Where it is at hand: what can name no payload is not searched for one. */
  readonly text?: string;
}

/** Takes lines in order; `finish` may be called at any time and again later. */
export interface Outliner {
  add(line: OutlinedLine): void;
  finish(lastDigest: Digest): SegmentOutline;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface Draft {
  readonly head: Mutable<SegmentHead>;
  readonly boundaries: BoundaryMark[];
  readonly forks: ForkMark[];
  readonly checkpoints: Set<string>;
  readonly writes: WriteMark[];
  readonly writeOutcomes: WriteOutcomeMark[];
  readonly payloads: { readonly offset: number; readonly digest: string; readonly bytes: number }[];
  /** Contained calls without a result yet: their results need no mark. */
  readonly openContained: Set<string>;
}

/** Starts the outline of a segment whose first line has this offset and `prev`. */
export function createOutliner(first: number, prev: Digest): Outliner {
  return outlinerOf(emptyDraft(first, prev));
}

function outlinerOf(draft: Draft): Outliner {
  return {
    add: (line) => addLine(draft, line),
    finish: (lastDigest) => {
      const { boundaries, forks, checkpoints, writes, writeOutcomes, openContained, payloads } = draft;
      const head = { ...draft.head, digest: lastDigest, writes: writes.length, payloads: payloads.length };
      const sets = { checkpoints: [...checkpoints], openContained: [...openContained] };
      return { head, detail: { boundaries, forks, writes, writeOutcomes, payloads, ...sets } };
    },
  };
}

/**
 * Goes on with an outline that ends at a `session.end`: there no call is open, so the outline is all there is to know
 * of the lines before.
 */
export function resumeOutliner({ head, detail }: SegmentOutline): Outliner {
  const draft: Draft = {
    head: { ...head },
    boundaries: [...detail.boundaries],
    forks: [...detail.forks],
    checkpoints: new Set(detail.checkpoints),
    writes: [...detail.writes],
    writeOutcomes: [...detail.writeOutcomes],
    payloads: [...detail.payloads],
    openContained: new Set(),
  };
  return outlinerOf(draft);
}

function emptyDraft(first: number, prev: Digest): Draft {
  const head: SegmentHead = {
    first,
    count: 0,
    prev,
    digest: prev,
    bytes: 0,
    firstTime: '',
    lastTime: '',
    schema: 0,
    messages: 0,
    ownMessages: 0,
    boundaries: 0,
    usage: NO_USAGE,
    ownUsage: NO_USAGE,
    writes: 0,
    payloads: 0,
    malformed: 0,
  };
  return {
    head,
    boundaries: [],
    forks: [],
    checkpoints: new Set(),
    writes: [],
    writeOutcomes: [],
    payloads: [],
    openContained: new Set(),
  };
}

function addLine(draft: Draft, line: OutlinedLine): void {
  const { head } = draft;
  const { event } = line;
  if (head.count === 0) head.firstTime = event.time;
  head.count += 1;
  head.bytes = line.position + line.bytes + 1;
  head.lastTime = event.time;
  if (Number.isSafeInteger(event.schema)) head.schema = Math.max(head.schema, event.schema as number);
  if (line.text === undefined || mayNamePayload(line.text)) {
    for (const { $blob: digest, bytes } of payloadsIn(event)) draft.payloads.push({ offset: event.seq, digest, bytes });
  }
  const known = knownEvent(event);
  if (known !== null) markEvent(draft, known, line);
  else if (isEventType(event.type)) head.malformed += 1;
}

type Marker<T extends EventType> = (draft: Draft, event: EventOf<T>, line: OutlinedLine) => void;

/** What an outline takes from each type; types that are absent leave no mark. */
const MARKERS: { readonly [T in EventType]?: Marker<T> } = {
  'session.start': (draft, event) => {
    if (event.seq === 0) draft.head.start = markStart(event);
  },
  'session.fork': markFork,
  'session.title': (draft, event) => {
    draft.head.title = { offset: event.seq, title: event.title };
  },
  'session.config': (draft, event) => {
    draft.head.model = event.model.name;
  },
  message: markMessage,
  'session.end': markEnd,
  'workspace.checkpoint': (draft, event) => {
    draft.checkpoints.add(event.id);
  },
  'model.response': markResponse,
  'tool.intent': (draft, event, line) => {
    if (event.contained === true) {
      draft.openContained.add(event.callId);
      return;
    }
    draft.openContained.delete(event.callId);
    draft.writes.push(markWrite(event, line));
  },
  'tool.result': markResult,
  'tool.resolve': (draft, event) => {
    if (event.resolution !== 'did_not_happen') return;
    const { seq: offset, callId, intent } = event;
    draft.writeOutcomes.push({ offset, callId, intent, outcome: 'did_not_happen', egress: [] });
  },
};

function markEvent(draft: Draft, event: KnownEvent, line: OutlinedLine): void {
  (MARKERS[event.type] as Marker<EventType> | undefined)?.(draft, event, line);
}

function markStart(event: EventOf<'session.start'>): StartMark {
  const { id, project, workspace, cwd, time } = event;
  return { id, project, workspace, cwd, time, ...(typeof event.title === 'string' ? { title: event.title } : {}) };
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

function markMessage({ head }: Draft, event: EventOf<'message'>): void {
  head.messages += 1;
  head.ownMessages += 1;
  head.lastMessage = { offset: event.seq };
  // A prompt without text names nothing: the next one may.
  head.firstPrompt ||= promptOf(event);
}

function markEnd(draft: Draft, event: EventOf<'session.end'>, line: OutlinedLine): void {
  const checkpoint = typeof event.checkpoint === 'string' && event.checkpoint !== 'none' ? event.checkpoint : null;
  const mark = { offset: event.seq, position: line.position, bytes: line.bytes, reason: event.reason, checkpoint };
  draft.boundaries.push(mark);
  // Every call of an ended turn has its result.
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

function markResult(draft: Draft, event: EventOf<'tool.result'>): void {
  if (draft.openContained.delete(event.callId)) return;
  const { seq: offset, callId, outcome } = event;
  draft.writeOutcomes.push({ offset, callId, outcome, egress: Array.isArray(event.egress) ? event.egress : [] });
}

function markWrite(event: EventOf<'tool.intent'>, line: OutlinedLine): WriteMark {
  const { callId, tool, effect, contained, key, time } = event;
  const { position, bytes } = line;
  return { offset: event.seq, callId, tool, effect, contained, key, time, position, bytes };
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
