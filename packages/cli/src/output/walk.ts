/** The walk of a graph run as text: every node of the document in its order, bodies below their maps and folds. */
import { bodyNumberOf, nodeIdOf, nodePathOf, ownerIdOf, ownerPathOf, splitNodePath } from '@ramet/core/events';
import type { Graph, Scope } from '@ramet/core/graph';
import { escapeLine, renderColumns, renderCount, renderJson, truncateText } from '@ramet/core/text';
import type { NodeView } from '@ramet/runtime/inspect/runs';
import type { CliContext } from '../context.ts';
import { paint } from './style.ts';

/** Items or passes shown of one map or fold, unless all are asked for. */
const SHOWN_BODIES = 12;

interface Row {
  /** Lines of the tree before the name. */
  readonly lead: string;
  readonly name: string;
  /** A node that was met. */
  readonly view?: NodeView;
  /** What it comes after; of a row that is no node, words about it. */
  readonly after: string;
  readonly state: string;
}

export interface WalkDrawing {
  readonly walk: readonly NodeView[];
  /** Null when it is gone: then the nodes stand in the order in which they were met. */
  readonly document: Graph | null;
  readonly isFull: boolean;
}

/** Draws a walk. */
export function renderWalk(context: CliContext, drawing: WalkDrawing): readonly string[] {
  const { walk, document } = drawing;
  const rows =
    document === null
      ? walk.map((view) => ({ lead: '', name: view.node, view, after: '', state: view.state }))
      : drawBody(indexWalk(drawing), { scope: document.root, path: '', lead: '' });
  const cells = rows.map((row) => [
    `${row.lead}${escapeLine(row.name)}`,
    row.state,
    row.view === undefined || row.view.visits.length === 0 ? '' : String(row.view.visits.length),
    offsetOf(row.view),
    escapeLine(row.after),
    row.view === undefined ? '' : describeNode(row.view),
  ]);
  const head = ['NODE', 'STATE', 'ENTERED', 'AT', 'AFTER', 'WHAT'];
  const [first = '', ...lines] = renderColumns([head, ...cells], { width: context.stdout.columns });
  return [paint(context.stdout, 'dim', first), ...lines];
}

interface Indexed {
  readonly graph: Graph;
  readonly views: ReadonlyMap<string, NodeView>;
  /** Paths of the bodies of a map or fold that were begun, by its path. */
  readonly bodies: ReadonlyMap<string, readonly string[]>;
  readonly isFull: boolean;
}

function indexWalk({ walk, document, isFull }: WalkDrawing): Indexed {
  const bodies = new Map<string, Set<string>>();
  for (const { node } of walk) {
    for (let { body } = splitNodePath(node); body !== ''; { body } = splitNodePath(ownerPathOf(body))) {
      const owner = ownerPathOf(body);
      bodies.set(owner, (bodies.get(owner) ?? new Set()).add(body));
    }
  }
  const sorted = [...bodies].map(([owner, paths]) => [owner, [...paths].sort(byIndex)] as const);
  return {
    graph: document as Graph,
    views: new Map(walk.map((view) => [view.node, view])),
    bodies: new Map(sorted),
    isFull,
  };
}

function byIndex(left: string, right: string): number {
  return bodyNumberOf(left) - bodyNumberOf(right);
}

interface Place {
  readonly scope: Scope;
  /** Of the body. */
  readonly path: string;
  readonly lead: string;
}

function drawBody(indexed: Indexed, { scope, path, lead }: Place): readonly Row[] {
  return scope.order.flatMap((id, position) => {
    const node = nodePathOf(path, id);
    const view = indexed.views.get(node);
    const isLast = position === scope.order.length - 1;
    const [here, below] = lead === '' ? ['', '   '] : [isLast ? '└─ ' : '├─ ', isLast ? '   ' : '│  '];
    const row = {
      lead: `${lead}${here}`,
      name: id,
      ...(view === undefined ? {} : { view }),
      state: view?.state ?? 'not reached',
      after: afterOf(indexed.graph, id),
    };
    return [row, ...drawBodies(indexed, node, `${lead}${below}`)];
  });
}

function drawBodies(indexed: Indexed, owner: string, lead: string): readonly Row[] {
  const scope = indexed.graph.bodies.get(nodeIdOf(owner));
  const all = indexed.bodies.get(owner) ?? [];
  if (scope === undefined || all.length === 0) return [];
  const shown = chooseBodies(indexed, all);
  const rows = shown.flatMap((path) => [
    { lead, name: path.slice(owner.length), state: stateOf(indexed, path), after: '' },
    ...drawBody(indexed, { scope, path, lead: `${lead}  ` }),
  ]);
  const hidden = all.length - shown.length;
  if (hidden === 0) return rows;
  return [...rows, { lead, name: `(${hidden} more: --full shows all)`, state: '', after: '' }];
}

/** What went well is left out first. */
function chooseBodies(indexed: Indexed, all: readonly string[]): readonly string[] {
  if (indexed.isFull || all.length <= SHOWN_BODIES) return all;
  const notable = all.filter((path) => stateOf(indexed, path) !== 'ok').slice(0, SHOWN_BODIES);
  const rest = all.filter((path) => !notable.includes(path)).slice(0, SHOWN_BODIES - notable.length);
  return [...notable, ...rest].sort(byIndex);
}

/** The most notable state among the nodes of a body. */
function stateOf({ views, graph }: Indexed, body: string): string {
  const ids = graph.bodies.get(ownerIdOf(body))?.order ?? [];
  const states = new Set(ids.map((id) => views.get(nodePathOf(body, id))?.state ?? 'not reached'));
  const order = ['failed', 'interrupted', 'waiting', 'delayed', 'entered', 'not reached'] as const;
  return order.find((state) => states.has(state)) ?? 'ok';
}

function afterOf(graph: Graph, id: string): string {
  const incoming = graph.nodes.get(id)?.incoming ?? [];
  return incoming.map(({ from, on }) => (on === undefined ? from : `${from}:${on}`)).join(', ');
}

function offsetOf(view: NodeView | undefined): string {
  const last = view?.visits.at(-1);
  return last === undefined ? '' : `${last.offset}${last.inherited ? ' (inherited)' : ''}`;
}

const LONGEST = 120;

/** What there is to say of a node besides its state. */
function describeNode(view: NodeView): string {
  const { reason, error, take, items, passes, gate, calls, retryAt } = view;
  const parts: string[] = [];
  if (reason !== undefined) parts.push(reason);
  if (error !== undefined) parts.push(`${error.message} (${error.code})`);
  if (retryAt !== undefined) parts.push(`again at ${retryAt}`);
  if (take !== undefined) parts.push(take === null ? 'takes no way' : `takes ${take}`);
  if (items !== undefined)
    parts.push(
      `${items.done} of ${renderCount(items.count, 'item')}${items.failed > 0 ? `, ${items.failed} failed` : ''}`,
    );
  if (passes !== undefined) parts.push(renderCount(passes, 'pass', 'passes'));
  if (gate !== undefined)
    parts.push('answer' in gate ? `answered ${renderJson(gate.answer)}` : `asks: ${gate.question}`);
  if (calls.length > 0) parts.push(describeCalls(calls));
  return truncateText(escapeLine(parts.join('; ')), LONGEST);
}

/** Writes are named by their offsets: those are what an acknowledgement names. */
function describeCalls(calls: NodeView['calls']): string {
  const writes = calls.filter(({ effect, contained }) => effect === 'write' && contained !== true);
  const others = calls.length - writes.length;
  const named = writes.map(
    ({ tool, offset, outcome }) => `${tool} at ${offset}${outcome === 'ok' ? '' : ` (${outcome})`}`,
  );
  return [
    ...(named.length === 0 ? [] : [`writes: ${named.join(', ')}`]),
    ...(others === 0 ? [] : [renderCount(others, 'call')]),
  ].join('; ');
}
