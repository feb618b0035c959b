/** An outline while it is made: lines are added to it, and a finished outline is taken from it at any time. */
import type { Digest, LoggedEvent } from '../../events/index.ts';
import { NO_USAGE } from '../../usage/index.ts';
import type { CallKey } from './marks.ts';
import type { SegmentDetail, SegmentHead, SegmentOutline } from './outline.ts';
import { deriveLastCheckpoints, deriveWalkHead } from './walk-head.ts';

/** One line as the outliner wants it. */
export interface OutlinedLine {
  readonly event: LoggedEvent;
  readonly position: number;
  readonly bytes: number;
  /** Where it is at hand: what can name no payload is not searched for one. */
  readonly text?: string;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Lists = { readonly [K in Exclude<keyof SegmentDetail, 'openContained'>]: SegmentDetail[K][number][] };

export interface Draft extends Lists {
  readonly head: Mutable<SegmentHead>;
  /** Nodes entered so far. */
  enters: number;
  /** Calls without a mark and without a result yet: their results need no mark. */
  readonly openContained: Set<CallKey>;
}

/** An outline without lines. */
export function makeDraft(first: number, prev: Digest): Draft {
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
    reads: 0,
    payloads: 0,
    long: 0,
    malformed: 0,
  };
  const ofNodes = { nodes: [], checkpoints: [], writes: [], writeOutcomes: [], long: [] };
  return { head, boundaries: [], forks: [], ...ofNodes, payloads: [], enters: 0, openContained: new Set() };
}

/** A draft that goes on where an outline ends. */
export function reopenDraft({ head, detail }: SegmentOutline): Draft {
  const { walk, lastCheckpoints, ...kept } = head;
  return {
    head: kept,
    boundaries: [...detail.boundaries],
    forks: [...detail.forks],
    nodes: [...detail.nodes],
    checkpoints: [...detail.checkpoints],
    writes: [...detail.writes],
    writeOutcomes: [...detail.writeOutcomes],
    payloads: [...detail.payloads],
    long: [...detail.long],
    enters: walk?.enters ?? 0,
    openContained: new Set(detail.openContained),
  };
}

/** The outline so far. `digest` is that of the last line. */
export function finishDraft(draft: Draft, digest: Digest): SegmentOutline {
  const { head, enters: _, openContained, ...lists } = draft;
  const walk = deriveWalkHead(lists);
  const lastCheckpoints = deriveLastCheckpoints(lists.checkpoints);
  return {
    head: {
      ...head,
      digest,
      writes: lists.writes.length,
      reads: lists.writes.reduce((count, { effect }) => (effect === 'read' ? count + 1 : count), 0),
      payloads: lists.payloads.length,
      long: lists.long.length,
      ...(walk === undefined ? {} : { walk }),
      ...(lastCheckpoints === undefined ? {} : { lastCheckpoints }),
    },
    detail: { ...lists, openContained: [...openContained] },
  };
}
