/** Runs as a tree of who was forked from whom. */
import type { RunId } from '@ramet/core/events';

export interface TreeRow<T> {
  readonly run: T;
  /** Lines of the tree before the id. */
  readonly branch: string;
}

interface Forked {
  readonly id: RunId;
  readonly forkedFrom?: { readonly id: RunId };
}

/** Children below their parent, in the order they were made; a child whose parent is not shown stands on top. */
export function arrangeTree<T extends Forked>(shown: readonly T[]): readonly TreeRow<T>[] {
  const ids = new Set(shown.map((run) => run.id));
  const children = new Map<RunId | null, T[]>();
  for (const run of shown) {
    const parent = run.forkedFrom?.id;
    const key = parent !== undefined && ids.has(parent) ? parent : null;
    children.set(key, [...(children.get(key) ?? []), run]);
  }
  const rows: TreeRow<T>[] = [];
  const add = (run: T, lead: string, tail: string): void => {
    rows.push({ run, branch: lead });
    const below = [...(children.get(run.id) ?? [])].sort((left, right) => (left.id < right.id ? -1 : 1));
    below.forEach((child, index) => {
      const isLast = index === below.length - 1;
      add(child, `${tail}${isLast ? '└─ ' : '├─ '}`, `${tail}${isLast ? '   ' : '│  '}`);
    });
  };
  for (const run of children.get(null) ?? []) add(run, '', '');
  return rows;
}
