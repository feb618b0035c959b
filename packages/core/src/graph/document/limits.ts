import { NODE_ID } from '../../events/index.ts';

/** How large a graph document may be. */
export const GRAPH_LIMITS = {
  /** As JSON without white space. */
  bytes: 5 * 1024 * 1024,
  /** Bodies of maps and folds counted. */
  nodes: 10_000,
  /** Bodies in bodies. */
  bodies: 8,
  /** Objects and lists in each other, anywhere in the document. */
  depth: 100,
  /** Things said about one document. */
  problems: 1000,
} as const;

/** Of nodes and of the ways of a branch. */
export const ID_PATTERN = `^${NODE_ID}$`;
