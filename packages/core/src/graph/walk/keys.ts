/** The idempotency keys of calls in graph runs. */
import type { Digest, NodePath, RunId, Sha256 } from '../../events/index.ts';
import { canonicalJson } from '../../log/canonical.ts';

/** The id of the one call of a tool node. */
export const TOOL_CALL_ID = 'call';

/** Which call of a node it is. `input` is the SHA-256 of its input's canonical JSON. */
export interface NodeCallPlace {
  readonly run: RunId;
  readonly path: NodePath;
  /** Among the calls of its node, from 0. */
  readonly index: number;
  readonly input: Digest;
}

/** The idempotency key of a call that this run issues first (W19). */
export function keyOfNodeCall({ run, path, index, input }: NodeCallPlace, sha256: Sha256): string {
  return sha256(canonicalJson({ run, path, index, input }));
}
