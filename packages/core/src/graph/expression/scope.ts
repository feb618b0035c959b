/** What expressions see. */

/** Looked up only as far as an expression asks. Values are JSON; one that is asked for again should be the same object. */
export interface ExpressionScope {
  /** The run's. */
  readonly input: unknown;
  /** Null for a node that was not entered; of a skipped one both are null. */
  node(id: string): { readonly input: unknown; readonly output: unknown } | null;
  /** `item` and `index`, `previous` and `pass`, `output`: those that the place has. */
  readonly locals: Readonly<Record<string, unknown>>;
}

/** Names that only some places have. */
export const LOCAL_NAMES = ['item', 'index', 'previous', 'pass', 'output'] as const;

/** A name that only some places have. */
export type LocalName = (typeof LOCAL_NAMES)[number];
