import { canonicalJson, type Digest, type RunId } from '@ramet/core';
import { sha256 } from '../../../store/index.ts';

/** The idempotency key of a call: the run that first issued it, its turn, its place among the turn's calls, its input. */
export function keyOfCall(
  run: RunId,
  place: { readonly turn: number; readonly index: number },
  input: unknown,
): Digest {
  const { turn, index } = place;
  return sha256(canonicalJson({ run, turn, index, input: sha256(canonicalJson(input)) }));
}
