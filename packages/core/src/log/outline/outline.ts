/**
 * The outline of a segment: what lists, forks, usage and garbage collection need to know of its lines without reading
 * them. It is derived, kept in the segment's `.idx`, and rebuilt whenever in doubt (docs/log-format.md, "Index").
 *
 * 1. An outline is a function of the segment's lines alone; the outlines of a log's segments, in order, outline the log.
 * 2. The head has a size that does not depend on the number of lines; the detail grows with turns, nodes and calls.
 */
import type { Digest } from '../../events/index.ts';
import type { UsageSum } from '../../usage/index.ts';
import type {
  BoundaryMark,
  CallKey,
  CheckpointMark,
  ForkMark,
  GraphStartMark,
  LinePlace,
  LongMark,
  NodeMark,
  OwnStartMark,
  PayloadMark,
  RunEndMark,
  SessionStartMark,
  WriteMark,
  WriteOutcomeMark,
} from './marks.ts';

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
  readonly start?: SessionStartMark;
  readonly graph?: GraphStartMark;
  /** The last fork in it. */
  readonly fork?: ForkMark;
  /** The last line that a session took from a node's conversation, and the usage recorded up to it. */
  readonly taken?: { readonly offset: number; readonly usage: UsageSum };
  /** The last such event in it. */
  readonly ownStart?: OwnStartMark;
  /** The last title that a `session.title` or a `session.fork` gave. */
  readonly title?: { readonly offset: number; readonly title: string };
  readonly model?: string;
  /** The last `session.config` in it that belongs to no node. */
  readonly config?: LinePlace;
  readonly messages: number;
  /** Messages after the last fork, or what was taken from a node, in it. */
  readonly ownMessages: number;
  readonly lastMessage?: { readonly offset: number };
  readonly firstPrompt?: string;
  readonly boundaries: number;
  readonly lastBoundary?: BoundaryMark;
  readonly usage: UsageSum;
  /** Usage after the last fork, own start or taken line in it; all of it when there is none. */
  readonly ownUsage: UsageSum;
  /** How many `WriteMark`s the detail has, and how many of them are of reads. */
  readonly writes: number;
  readonly reads: number;
  /** How many payloads the detail has. */
  readonly payloads: number;
  /** How many `LongMark`s the detail has. */
  readonly long: number;
  /** Lines of known types without their required fields. */
  readonly malformed: number;
  /** Of a graph run: what it says of nodes. */
  readonly walk?: WalkHead;
  /** The last `run.complete`, `run.fail` or `run.abandon` in it. */
  readonly end?: RunEndMark;
  /** Gates opened in it, less those answered in it; absent where there is neither. */
  readonly gates?: number;
  readonly lastCheckpoints?: LastCheckpoints;
}

/** What a segment of a graph run says of nodes, in a size that depends on nothing. */
export interface WalkHead {
  readonly enters: number;
  /** Offset of the last `node.enter`, -1 without one. */
  readonly lastEnter: number;
  /** A filter of the ids and paths of nodes that were entered or skipped (`mayName`). */
  readonly names: string;
  /** Nodes at work across its ends, by path. */
  readonly nodes: Carry;
  /** Calls of its `WriteMark`s that are open across its ends. */
  readonly calls: Carry;
}

/** What is open across the ends of a segment. Null: too many for a head; the detail says. */
export interface Carry {
  /** Begun in the segment and not ended in it. */
  readonly opened: readonly string[] | null;
  /** Ended in the segment and begun, or perhaps begun, before it. To be taken off before `opened` is added. */
  readonly closed: readonly string[] | null;
}

/** The last checkpoint that each node took (by its id, any path), and the last that none did. */
export interface LastCheckpoints {
  readonly marks: readonly CheckpointMark[];
  /** There are more ids than a head holds. */
  readonly more: boolean;
}

export interface SegmentDetail {
  readonly boundaries: readonly BoundaryMark[];
  readonly forks: readonly ForkMark[];
  readonly nodes: readonly NodeMark[];
  readonly checkpoints: readonly CheckpointMark[];
  readonly writes: readonly WriteMark[];
  readonly writeOutcomes: readonly WriteOutcomeMark[];
  /** Calls without a `WriteMark` whose results lie in a later segment, where they have a `WriteOutcomeMark`. */
  readonly openContained: readonly CallKey[];
  readonly payloads: readonly PayloadMark[];
  readonly long: readonly LongMark[];
}

export interface SegmentOutline {
  readonly head: SegmentHead;
  readonly detail: SegmentDetail;
}
