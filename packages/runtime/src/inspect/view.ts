/**
 * A whole session to look at: its turns with their transcript and checkpoints, and where its workspace is.
 *
 * 1. No lock is taken. A damaged log is shown up to the damage, and the damage with it.
 */
import { lstatSync } from 'node:fs';
import {
  type Decode,
  decoderOf,
  deriveSessionOverview,
  type ErrorInfo,
  type EventOf,
  type KnownEvent,
  knownEvent,
  type LastingRule,
  lastingRules,
  type Refusal,
  type RunId,
  refuse,
  type SessionOverview,
  type TranscriptEntry,
  transcribe,
  type UsageSum,
  type WorkspaceKind,
} from '@ramet/core';
import {
  type FileStore,
  type LogDamage,
  type LogOutline,
  type LogReader,
  type OwnerInfo,
  refuseDamaged,
} from '../store/index.ts';
import { markRemoved, type ShownOrigin } from './origin.ts';
import { type Bytes, bytesOfRun } from './size.ts';
import { endOf, type RunState, type SessionEnd, stateOf } from './summary.ts';

type Body<T> = Omit<T, 'seq' | 'prev' | 'time' | 'type'>;

export interface TurnView {
  /** From 1, inherited turns included. */
  readonly turn: number;
  readonly inherited: boolean;
  readonly start: { readonly offset: number; readonly time: string };
  /** Null while the turn is open. */
  readonly end: {
    readonly offset: number;
    readonly reason: string;
    readonly time: string;
    readonly why?: string;
    readonly error?: ErrorInfo;
  } | null;
  readonly checkpoint: Body<EventOf<'workspace.checkpoint'>> | null;
  readonly transcript: readonly TranscriptEntry[];
}

export interface WorkspaceView {
  readonly kind: WorkspaceKind;
  /** Where it is on this machine; absent before a child's first run. */
  readonly path?: string;
  readonly base: string | null;
  readonly branch: string | null;
  /** What came along and what stayed behind when it was made. */
  readonly opened?: Body<EventOf<'workspace.open'>>;
  /** How a child's workspace came to be. */
  readonly restored?: Body<EventOf<'workspace.restore'>>;
}

export interface SessionView {
  readonly id: RunId;
  readonly title: string;
  readonly titleFrom: SessionOverview['titleFrom'];
  readonly state: RunState;
  readonly forkedFrom?: ShownOrigin;
  readonly outstanding: number;
  readonly project: string | null;
  readonly cwd: string;
  readonly model?: string;
  /** `deny` and `ask` rules of the command line that hold for the next turn, too. */
  readonly rules: readonly LastingRule[];
  readonly createdAt: string;
  readonly lastTime: string;
  readonly events: number;
  readonly digest: string;
  /** The latest turn that ended, inherited ones included. */
  readonly lastEnd?: SessionEnd;
  readonly workspace: WorkspaceView;
  readonly own: { readonly usage: UsageSum };
  readonly inherited: { readonly usage: UsageSum };
  readonly bytes: Bytes;
  readonly turns: readonly TurnView[];
  readonly owner?: OwnerInfo;
  readonly damage?: LogDamage;
}

/** Reads a session to show it; refuses with `unknown_run`, `not_a_session` or `log_damaged` (damaged in event 0). */
export function viewSession(store: FileStore, id: RunId): SessionView | Refusal {
  const reader = store.read(id);
  if (reader === null)
    return refuse('unknown_run', `there is no session ${id}; \`ramet sessions\` lists those there are`, { id });
  const outline = reader.readOutline();
  const overview = deriveSessionOverview(outline.heads);
  if (overview === null) {
    return outline.damage === null
      ? refuse('not_a_session', `the log of ${id} does not start a session`, { id })
      : refuseDamaged(id, outline);
  }
  const walked = walkLog(reader, overview);
  const owner = store.ownerOf(id);
  return describe(store, { outline, overview, walked, owner });
}

interface Walked {
  readonly turns: readonly TurnView[];
  readonly opened?: EventOf<'workspace.open'>;
  /** Of the run itself, not of an ancestor. */
  readonly restored?: EventOf<'workspace.restore'>;
  readonly outstanding: number;
  readonly config?: EventOf<'session.config'>;
}

function describe(
  store: FileStore,
  found: {
    readonly outline: LogOutline;
    readonly overview: SessionOverview;
    readonly walked: Walked;
    readonly owner: OwnerInfo | null;
  },
): SessionView {
  const { outline, overview, walked, owner } = found;
  const { id, title, titleFrom, project, cwd, model, createdAt, lastTime, events, digest, forkedFrom } = overview;
  const { opened, restored } = walked;
  const paths = store.pathsOf(id);
  const path = overview.workspace === 'directory' ? opened?.path : findFolder(paths.workspace);
  return {
    id,
    title,
    titleFrom,
    state: stateOf(outline, overview, owner),
    ...(forkedFrom === undefined ? {} : { forkedFrom: markRemoved(forkedFrom, new Set(store.listRuns())) }),
    outstanding: walked.outstanding,
    project,
    cwd,
    ...(model === undefined ? {} : { model }),
    rules: lastingRules(walked.config),
    createdAt,
    lastTime,
    events,
    digest,
    ...(overview.lastBoundary === undefined ? {} : { lastEnd: endOf(overview.lastBoundary) }),
    workspace: {
      kind: overview.workspace,
      ...(path === undefined ? {} : { path }),
      base: opened?.base ?? null,
      branch: opened?.branch ?? null,
      ...(opened === undefined ? {} : { opened: bodyOf(opened) }),
      ...(restored === undefined ? {} : { restored: bodyOf(restored) }),
    },
    own: { usage: overview.own },
    inherited: { usage: overview.inherited },
    bytes: bytesOfRun(paths),
    turns: walked.turns,
    ...(owner === null ? {} : { owner }),
    ...(outline.damage === null ? {} : { damage: outline.damage }),
  };
}

function findFolder(path: string): string | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : undefined;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type TurnDraft = Omit<Mutable<TurnView>, 'transcript'> & { transcript: TranscriptEntry[] };

interface Walk extends Mutable<Omit<Walked, 'turns'>> {
  readonly turns: TurnDraft[];
  /** Events before this one are inherited. */
  readonly ownFrom: number;
  readonly decode: Decode;
}

function walkLog(reader: LogReader, overview: SessionOverview): Walked {
  const walk: Walk = { turns: [], outstanding: 0, ownFrom: overview.ownFrom, decode: decoderOf(reader) };
  for (const logged of reader.readEvents({ to: overview.events - 1 })) {
    const event = knownEvent(logged);
    if (event !== null) walkEvent(walk, event);
  }
  return walk;
}

function walkEvent(walk: Walk, event: KnownEvent): void {
  if (event.type === 'message') {
    const turn = walk.turns.length + 1;
    const start = { offset: event.seq, time: event.time };
    walk.turns.push({
      turn,
      inherited: event.seq < walk.ownFrom,
      start,
      end: null,
      checkpoint: null,
      transcript: [],
    });
  }
  const turn = walk.turns.at(-1);
  turn?.transcript.push(...transcribe(event, walk.decode));
  if (event.type === 'session.config') walk.config = event;
  else if (event.type === 'workspace.open') walk.opened = event;
  else if (event.type === 'workspace.restore' && event.seq >= walk.ownFrom) walk.restored = event;
  else if (event.type === 'session.fork' && event.seq === walk.ownFrom)
    walk.outstanding = event.outstanding?.length ?? 0;
  else if (event.type === 'workspace.checkpoint' && turn?.end === null) turn.checkpoint = bodyOf(event);
  else if (event.type === 'session.end' && turn !== undefined) endTurn(turn, event, walk.decode);
}

function endTurn(turn: TurnDraft, event: EventOf<'session.end'>, decode: Decode): void {
  const { seq: offset, reason, time, why, error } = event;
  turn.end = {
    offset,
    reason,
    time,
    ...(why === undefined ? {} : { why: String(decode(why)) }),
    ...(error === undefined ? {} : { error: decode(error) as ErrorInfo }),
  };
  if (event.checkpoint === 'none') turn.checkpoint = null;
}

function bodyOf<T extends KnownEvent>(event: T): Body<T> {
  const { seq: _seq, prev: _prev, time: _time, type: _type, ...body } = event;
  return body;
}
