/**
 * The hash chain: each line's `prev` is the SHA-256 of the line before it, so the digest of one line commits to every
 * byte before it.
 *
 * What it proves: that a log is the one a digest was taken of. What it does not: who wrote it, or that nothing was cut
 * off after the digest's line.
 */
import { type Digest, type LoggedEvent, type Sha256, ZERO_DIGEST } from '../events/index.ts';
import { parseLine } from './line.ts';

/** Where a chain stands: the offset and `prev` its next line must have. */
export interface ChainState {
  readonly seq: number;
  readonly prev: Digest;
}

/** The state before event 0. */
export const CHAIN_START: ChainState = { seq: 0, prev: ZERO_DIGEST };

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
  return { kind: 'linked', event, next: { seq: state.seq + 1, prev: sha256(line.bytes) } };
}
