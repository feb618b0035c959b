/** The order of the nodes of one body. */

/** Two ends of an edge. */
export interface Ends {
  readonly from: string;
  readonly to: string;
}

/** What can be ordered, and what lies on cycles or behind them. */
export interface Order {
  /** Every node after those it waits for; among equals by id, so that it does not depend on how the document is written. */
  readonly order: readonly string[];
  readonly rest: ReadonlySet<string>;
}

/** Orders nodes by their edges; edges with an end that is no node are left out. */
export function orderNodes(ids: Iterable<string>, edges: readonly Ends[]): Order {
  const waiting = new Map<string, number>();
  for (const id of ids) waiting.set(id, 0);
  const after = new Map<string, string[]>();
  for (const { from, to } of edges) {
    if (!waiting.has(from) || !waiting.has(to)) continue;
    const targets = after.get(from);
    if (targets === undefined) after.set(from, [to]);
    else targets.push(to);
    waiting.set(to, (waiting.get(to) ?? 0) + 1);
  }
  const order: string[] = [];
  let ready = [...waiting.keys()].filter((id) => waiting.get(id) === 0).sort();
  while (ready.length > 0) {
    order.push(...ready);
    const next = ready.flatMap((id) => after.get(id) ?? []).filter((to) => settle(waiting, to));
    ready = next.sort();
  }
  const rest = new Set(waiting.keys());
  for (const id of order) rest.delete(id);
  return { order, rest };
}

/** Counts one edge into a node as done; true when it was the last. */
function settle(waiting: Map<string, number>, id: string): boolean {
  const left = (waiting.get(id) ?? 0) - 1;
  waiting.set(id, left);
  return left === 0;
}

/** One cycle among nodes that cannot be ordered, its first node again at the end; null when there is none. */
export function findCycle(rest: ReadonlySet<string>, edges: readonly Ends[]): readonly string[] | null {
  const before = new Map<string, string>();
  for (const { from, to } of edges) if (rest.has(from) && rest.has(to)) before.set(to, from);
  const path: string[] = [];
  const seen = new Set<string>();
  let at = [...rest].find((id) => before.has(id));
  while (at !== undefined && !seen.has(at)) {
    seen.add(at);
    path.push(at);
    at = before.get(at);
  }
  return at === undefined ? null : [at, ...path.slice(path.indexOf(at)).reverse()];
}
