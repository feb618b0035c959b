/**
 * Who was forked from whom, as rows of a tree.
 *
 * 1. Every row stands exactly once: one whose parent is not there, or whose descent goes round, stands at the top.
 * 2. Trees stand by their last activity, the newest first; children by where they began, so that none changes its place.
 */
import type { Row } from '../data/rows.ts';

/** Rows by their descent. */
export interface Lineage {
  readonly roots: readonly Row[];
  readonly childrenOf: ReadonlyMap<string, readonly Row[]>;
}

/** A row as the tree shows it. */
export interface LineageRow {
  readonly row: Row;
  /** From 0. */
  readonly depth: number;
  readonly parentId: string | null;
  /** Those that are shown when it is unfolded. */
  readonly children: number;
  readonly isExpanded: boolean;
  /** It was not searched for: it is there because a row below it was. */
  readonly isContext: boolean;
  /** Among its siblings, from 1. */
  readonly position: number;
  readonly siblings: number;
}

/** Arranges rows by their descent. */
export function arrangeLineage(rows: readonly Row[]): Lineage {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const childrenOf = new Map<string, Row[]>();
  const roots: Row[] = [];
  for (const row of rows) {
    const parent = row.origin === undefined ? undefined : byId.get(row.origin.id);
    if (parent === undefined || descendsFrom(parent, row.id, byId)) roots.push(row);
    else childrenOf.set(parent.id, [...(childrenOf.get(parent.id) ?? []), row]);
  }
  for (const children of childrenOf.values()) children.sort(byBeginning);
  const active = new Map(roots.map((root) => [root, lastTimeBelow(root, childrenOf)]));
  roots.sort((left, right) => compare(active.get(right) ?? '', active.get(left) ?? ''));
  return { roots, childrenOf };
}

/** Whether a log says of a row that it descends from one of its own descendants. */
function descendsFrom(row: Row, id: string, byId: ReadonlyMap<string, Row>): boolean {
  const seen = new Set<string>();
  for (let at: Row | undefined = row; at !== undefined && !seen.has(at.id); ) {
    if (at.id === id) return true;
    seen.add(at.id);
    at = at.origin === undefined ? undefined : byId.get(at.origin.id);
  }
  return false;
}

function lastTimeBelow(row: Row, childrenOf: ReadonlyMap<string, readonly Row[]>): string {
  let last = row.lastTime;
  const waiting = [...(childrenOf.get(row.id) ?? [])];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.lastTime > last) last = next.lastTime;
    waiting.push(...(childrenOf.get(next.id) ?? []));
  }
  return last;
}

function byBeginning(left: Row, right: Row): number {
  const offsets = (left.origin?.offset ?? 0) - (right.origin?.offset ?? 0);
  return offsets || compare(left.createdAt, right.createdAt) || compare(left.id, right.id);
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

export interface LineageFilter {
  /** Absent: every row. */
  readonly matches?: (row: Row) => boolean;
  readonly collapsed: ReadonlySet<string>;
}

/** The rows that are shown, from the top: what is searched for, and what leads to it. */
export function listLineage({ roots, childrenOf }: Lineage, { matches, collapsed }: LineageFilter): LineageRow[] {
  const shown = matches === undefined ? null : findShown(roots, childrenOf, matches);
  const listed: LineageRow[] = [];
  const add = (siblings: readonly Row[], depth: number, parentId: string | null) => {
    for (const [index, row] of siblings.entries()) {
      const children = (childrenOf.get(row.id) ?? []).filter(({ id }) => shown?.has(id) ?? true);
      const isExpanded = children.length > 0 && (shown !== null || !collapsed.has(row.id));
      listed.push({
        row,
        depth,
        parentId,
        children: children.length,
        isExpanded,
        isContext: matches !== undefined && !matches(row),
        position: index + 1,
        siblings: siblings.length,
      });
      if (isExpanded) add(children, depth + 1, row.id);
    }
  };
  add(shown === null ? roots : roots.filter(({ id }) => shown.has(id)), 0, null);
  return listed;
}

/** The ids of all that match, and of all above them. */
function findShown(
  roots: readonly Row[],
  childrenOf: ReadonlyMap<string, readonly Row[]>,
  matches: (row: Row) => boolean,
): ReadonlySet<string> {
  const shown = new Set<string>();
  const visit = (row: Row): boolean => {
    const below = (childrenOf.get(row.id) ?? []).map(visit);
    const isShown = matches(row) || below.includes(true);
    if (isShown) shown.add(row.id);
    return isShown;
  };
  roots.forEach(visit);
  return shown;
}
