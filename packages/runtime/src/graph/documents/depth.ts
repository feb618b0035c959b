import { isDeeperThan } from '../../mcp/depth.ts';

/** As deep as expressions look (W3): what a walk puts around a value still fits in an event. */
const MAX_DEPTH = 64;

/** Says of a value that comes from outside that it nests too deeply for a run; null when it does not. */
export function findDepthProblem(value: unknown): string | null {
  return isDeeperThan(value, MAX_DEPTH) ? `it nests deeper than ${MAX_DEPTH} levels` : null;
}
