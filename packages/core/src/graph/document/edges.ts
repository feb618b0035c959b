/** What edges may not do: end nowhere, leave their body, stand twice, go round, or leave a branch by no way of it. */
import { type DraftBody, type DraftEdge, type DraftNode, fieldsOf } from './draft.ts';
import { findCycle, orderNodes } from './order.ts';
import type { Report } from './report.ts';

/** Cycles that are named in one body. */
const CYCLE_LIMIT = 10;

/** Says what is wrong with the edges of a body. `all` finds the nodes of all bodies. */
export function checkEdges(body: DraftBody, all: ReadonlyMap<string, DraftNode>, report: Report): void {
  const seen = new Set<string>();
  for (const edge of body.edges) {
    for (const end of ['from', 'to'] as const) checkEnd(edge, end, { body, all, report });
    const key = JSON.stringify([edge.from, edge.to, edge.on]);
    if (seen.has(key)) report.add(edge.place, `the edge from '${edge.from}' to '${edge.to}' is there twice`);
    seen.add(key);
    checkWay(edge, body, report);
  }
  checkCycles(body, report);
  const taken = Map.groupBy(body.edges, ({ from }) => from);
  for (const node of body.nodes.values())
    if (node.kind === 'branch') checkBranch(node, taken.get(node.id) ?? [], report);
}

interface Around {
  readonly body: DraftBody;
  readonly all: ReadonlyMap<string, DraftNode>;
  readonly report: Report;
}

function checkEnd(edge: DraftEdge, end: 'from' | 'to', { body, all, report }: Around): void {
  const id = edge[end];
  if (body.nodes.has(id)) return;
  const elsewhere = all.get(id);
  const place = [...edge.place, end];
  if (elsewhere === undefined) report.add(place, `unknown node '${id}'${report.hint(id, body.nodes.keys())}`);
  else report.add(place, `'${id}' lies in ${describeBody(elsewhere.body)}; an edge stays within one body`);
}

/** A body, in words. */
export function describeBody({ owner }: DraftBody): string {
  return owner === null ? 'the document itself' : `the body of '${owner.id}'`;
}

function checkWay(edge: DraftEdge, body: DraftBody, report: Report): void {
  const source = body.nodes.get(edge.from);
  if (source === undefined) return;
  const ways = waysOf(source);
  const place = [...edge.place, 'on'];
  if (source.kind !== 'branch') {
    if (edge.on !== undefined) report.add(place, `'${edge.from}' is no branch: only an edge from a branch has 'on'`);
  } else if (edge.on === undefined) {
    report.add(edge.place, `'on' is missing: '${edge.from}' is a branch, and its edges name the way they belong to`);
  } else if (!ways.has(edge.on)) {
    report.add(place, `'${edge.on}' is no way of '${edge.from}'${report.hint(edge.on, ways.keys())}`);
  }
}

/** The ways of a branch, each with its place. */
function waysOf({ fields, place }: DraftNode): ReadonlyMap<string, DraftEdge['place']> {
  const ways = new Map<string, DraftEdge['place']>();
  const cases = Array.isArray(fields.cases) ? fields.cases : [];
  for (const [index, item] of cases.entries()) {
    const { take } = fieldsOf(item);
    if (typeof take === 'string') ways.set(take, [...place, 'cases', index, 'take']);
  }
  if (typeof fields.otherwise === 'string') ways.set(fields.otherwise, [...place, 'otherwise']);
  for (const way of Object.keys(fieldsOf(fields.choices))) ways.set(way, [...place, 'choices', way]);
  return ways;
}

function checkBranch(node: DraftNode, edges: readonly DraftEdge[], report: Report): void {
  const ways = waysOf(node);
  const taken = new Set(edges.map(({ on }) => on));
  const ends: readonly unknown[] = Array.isArray(node.fields.ends) ? node.fields.ends : [];
  for (const [index, way] of ends.entries()) {
    const place = [...node.place, 'ends', index];
    if (typeof way !== 'string') continue;
    if (!ways.has(way)) report.add(place, `'${way}' is no way of '${node.id}'${report.hint(way, ways.keys())}`);
    else if (taken.has(way)) report.add(place, `an edge takes the way '${way}': it does not end here`);
  }
  for (const [way, place] of ways)
    if (!taken.has(way) && !ends.includes(way))
      report.add(place, `the way '${way}' leads nowhere: give it an edge with "on", or name it in 'ends'`);
}

function checkCycles(body: DraftBody, report: Report): void {
  let { rest } = orderNodes(body.nodes.keys(), body.edges);
  for (let found = 0; found < CYCLE_LIMIT && rest.size > 0; found += 1) {
    const cycle = findCycle(rest, body.edges);
    if (cycle === null) return;
    report.add(placeOf(cycle, body), `a cycle: ${renderCycle(cycle)}; what repeats is a 'fold'`);
    const named = new Set(cycle);
    const left = [...rest].filter((id) => !named.has(id));
    rest = orderNodes(left, body.edges).rest;
  }
}

/** The edge that closes a cycle. */
function placeOf(cycle: readonly string[], body: DraftBody): DraftEdge['place'] {
  const edge = body.edges.find(({ from, to }) => from === cycle.at(-2) && to === cycle.at(-1));
  return edge?.place ?? [...body.place, 'edges'];
}

function renderCycle(cycle: readonly string[]): string {
  const shown = cycle.length > 10 ? [...cycle.slice(0, 5), `(${cycle.length - 9} more)`, ...cycle.slice(-4)] : cycle;
  return shown.join(' -> ');
}
