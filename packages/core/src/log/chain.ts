/**
 * The hash chain: each line's `prev` is the SHA-256 of the line before it, so the digest of one line commits to every
 * byte before it.
 *
 * 1. Event 0 of a forked graph run is new, and the lines after it are its source's, unchanged: event 1 points to what
 *    `forkedFrom.sourceEvent0Digest` says, and the first event of its own names event 0 again in `event0`, so that its
 *    chain commits to both. This file alone knows that (docs/log-format.md, L24 and L25).
 * 2. What a chain proves: that a log is the one a digest was taken of. What it does not: who wrote it, or that nothing
 *    was cut off after the digest's line.
 */
import { invariant } from '../codes/index.ts';
import {
  type Digest,
  type EventDraft,
  knownEvent,
  type LoggedEvent,
  type Sha256,
  ZERO_DIGEST,
} from '../events/index.ts';
import { type EncodedLine, encodeLine, parseLine } from './line.ts';

/** Where a chain stands: the offset and `prev` its next line must have. */
export interface ChainState {
  readonly seq: number;
  readonly prev: Digest;
  /** Of a graph run, after its event 0. */
  readonly run: RunChain | null;
}

/** What event 0 of a graph run says of the lines after it. */
export interface RunChain {
  /** SHA-256 of event 0. */
  readonly event0: Digest;
  /** Offset of the first event of a forked run that is its own, which carries `event0`; null when all are. */
  readonly ownFrom: number | null;
}

/** The state before event 0. */
export const CHAIN_START: ChainState = { seq: 0, prev: ZERO_DIGEST, run: null };

/** A line that follows the chain, or why it does not. */
export type ChainStep =
  | { readonly kind: 'linked'; readonly event: LoggedEvent; readonly next: ChainState }
  | { readonly kind: 'broken'; readonly expected: string; readonly found: string };

/** Checks one line against where the chain stands. */
export function followChain(
  state: ChainState,
  line: { readonly text: string; readonly bytes: Uint8Array },
  sha256: Sha256,
): ChainStep {
  const event = parseLine(line.text, state.prev);
  if (typeof event === 'string') return { kind: 'broken', expected: `event ${state.seq}`, found: event };
  if (event.seq !== state.seq) {
    return { kind: 'broken', expected: `offset ${state.seq}`, found: `offset ${event.seq}` };
  }
  if (event.prev !== state.prev) {
    return { kind: 'broken', expected: `prev ${state.prev}`, found: `prev ${event.prev}` };
  }
  const broken = judgeEvent0(state, event);
  return broken ?? { kind: 'linked', event, next: chainAfter(state, { event, digest: sha256(line.bytes) }) };
}

/** The state after a line that follows. */
export function chainAfter(
  state: ChainState,
  line: { readonly event: LoggedEvent; readonly digest: Digest },
): ChainState {
  const { event, digest } = line;
  if (state.seq > 0 || event.type !== 'graph.start') return { seq: state.seq + 1, prev: digest, run: state.run };
  const start = knownEvent(event);
  if (start?.type !== 'graph.start') return { seq: 1, prev: digest, run: null };
  const { forkedFrom } = start;
  if (forkedFrom === undefined) return { seq: 1, prev: digest, run: { event0: digest, ownFrom: null } };
  return { seq: 1, prev: forkedFrom.sourceEvent0Digest, run: { event0: digest, ownFrom: forkedFrom.offset + 1 } };
}

/** SHA-256 of the last line so far. After event 0 of a forked run the next `prev` is another one. */
export function lastDigestOf({ seq, prev, run }: ChainState): Digest {
  return seq === 1 && run !== null ? run.event0 : prev;
}

/** Encodes the event that comes next; throws `event_too_large` when it cannot fit in a line. */
export function encodeNext(
  state: ChainState,
  next: { readonly draft: EventDraft; readonly time: string },
  sha256: Sha256,
): { readonly line: EncodedLine; readonly next: ChainState } {
  const { draft, time } = next;
  invariant(draft.event0 === undefined, `\`event0\` of a ${draft.type} is for the chain to write`);
  const event0 = event0At(state);
  const { seq, prev } = state;
  const line = encodeLine({ seq, prev, time }, event0 === undefined ? draft : { ...draft, event0 }, sha256);
  return { line, next: chainAfter(state, line) };
}

/** What `event0` of the next event is, when it is the first one of a forked run's own. */
function event0At({ seq, run }: ChainState): Digest | undefined {
  return run?.ownFrom === seq ? run.event0 : undefined;
}

/** Lines that a forked run inherited may carry that of an ancestor, which is not here to compare. */
function judgeEvent0(state: ChainState, { event0: found }: LoggedEvent): ChainStep | null {
  const expected = event0At(state);
  if (found === expected) return null;
  const { seq, run } = state;
  if (expected === undefined && seq > 0 && run !== null && seq < (run.ownFrom ?? 0)) return null;
  const describe = (value: unknown): string => (value === undefined ? 'no event0' : `event0 ${String(value)}`);
  return { kind: 'broken', expected: describe(expected), found: describe(found) };
}
