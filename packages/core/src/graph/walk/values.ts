/**
 * The values of a walk: what expressions see at a place, what a node's input is, what a body puts out. Values come from
 * the log decoded; errors are a `Failure`.
 */
import { Failure } from '../../codes/index.ts';
import { nodePathOf } from '../../events/index.ts';
import type { PlacedNode } from '../document/graph.ts';
import { type ExpressionScope, evaluateList, evaluateTemplate } from '../expression/index.ts';
import { isLive } from './state/bodies.ts';
import type { WalkedBodies, WalkedBody, WalkedNode } from './state/progress.ts';
import type { RunState } from './types.ts';

/** What values are derived from. */
export interface ValueSource {
  readonly state: RunState;
  readonly decode: (value: unknown) => unknown;
}

type Decode = ValueSource['decode'];

/** Values already decoded: many expressions look at one value, and are to see one object. */
const decodedBy = new WeakMap<Decode, WeakMap<object, unknown>>();

/** A value of the log, decoded; the same object each time. */
export function decodedOf({ decode }: ValueSource, encoded: unknown): unknown {
  if (typeof encoded !== 'object' || encoded === null) return encoded ?? null;
  const decoded = decodedBy.get(decode) ?? new WeakMap<object, unknown>();
  decodedBy.set(decode, decoded);
  if (!decoded.has(encoded)) decoded.set(encoded, decode(encoded));
  return decoded.get(encoded);
}

/** What expressions see in a body, and what else its place has. */
export function scopeOf(source: ValueSource, body: WalkedBody, extra: Record<string, unknown> = {}): ExpressionScope {
  const { state } = source;
  return {
    get input() {
      return decodedOf(source, state.input);
    },
    node: (id) => seenNode(source, findSeen(source, body, id)),
    get locals() {
      return { ...localsOf(source, body), ...extra };
    },
  };
}

function findSeen({ state }: ValueSource, body: WalkedBody, id: string): WalkedNode | undefined {
  const scope = state.progress.graph.nodes.get(id)?.scope;
  for (let at: WalkedBody | undefined = body; at !== undefined; at = at.owner?.body) {
    if (at.scope === scope) return at.nodes.get(id);
  }
  return undefined;
}

function seenNode(source: ValueSource, node: WalkedNode | undefined): ReturnType<ExpressionScope['node']> {
  if (node?.status === 'skipped') return { input: null, output: null };
  if (node?.status !== 'ok') return null;
  return {
    get input() {
      return decodedOf(source, node.input);
    },
    get output() {
      return decodedOf(source, node.output);
    },
  };
}

/** `item` and `index`, `previous` and `pass`, of the bodies around a place; the inner ones stand before the outer. */
function localsOf(source: ValueSource, body: WalkedBody): Record<string, unknown> {
  const { owner, index } = body;
  if (owner === null) return {};
  const outer = localsOf(source, owner.body);
  return owner.placed.node.kind === 'map'
    ? { ...outer, item: itemsOf(source, owner)[index] ?? null, index }
    : { ...outer, previous: previousOf(source, owner, index), pass: index };
}

/** The lists that maps go over: the log holds their length alone. */
const itemsByMap = new WeakMap<WalkedBodies, readonly unknown[]>();

/** The items of a map that was entered. */
export function itemsOf(source: ValueSource, map: WalkedNode): readonly unknown[] {
  const { bodies, placed, items } = map;
  if (bodies === undefined || placed.node.kind !== 'map') return [];
  const known = itemsByMap.get(bodies);
  if (known !== undefined) return known;
  const list = evaluateList(placed.node.over, scopeOf(source, map.body));
  if (items !== undefined && items.count !== list.length) {
    const message = `${map.path} was opened with ${items.count} items, and its list has ${list.length} now`;
    throw new Failure('replay_diverged', message);
  }
  itemsByMap.set(bodies, list);
  return list;
}

/** What a pass finds as `previous`. */
function previousOf(source: ValueSource, fold: WalkedNode, pass: number): unknown {
  const { node } = fold.placed;
  const { outputs } = fold.bodies ?? { outputs: [] };
  if (pass > 1) return decodedOf(source, outputs.at(-1));
  if (node.kind !== 'fold' || node.initial === undefined) return decodedOf(source, fold.input);
  return evaluateTemplate(node.initial, scopeOf(source, fold.body));
}

/** A node's input, as the document and the log have it (W4), or as a person changed it in a fork. */
export function inputOf(source: ValueSource, body: WalkedBody, placed: PlacedNode): unknown {
  const { forkedFrom } = source.state;
  const changes = forkedFrom?.changes;
  if (changes?.input !== undefined && forkedFrom?.fromNode === nodePathOf(body.path, placed.id)) {
    return decodedOf(source, changes.input);
  }
  if (placed.node.input !== undefined) return evaluateTemplate(placed.node.input, scopeOf(source, body));
  if (placed.incoming.length === 0) return inputOfBody(source, body);
  const live = liveSources(body, placed);
  const [first, ...rest] = live;
  if (first !== undefined && rest.length === 0) return decodedOf(source, first.output);
  return outputsById(source, live);
}

function inputOfBody(source: ValueSource, body: WalkedBody): unknown {
  const { owner, index } = body;
  if (owner === null) return decodedOf(source, source.state.input);
  return owner.placed.node.kind === 'map' ? (itemsOf(source, owner)[index] ?? null) : previousOf(source, owner, index);
}

function liveSources(body: WalkedBody, placed: PlacedNode): readonly WalkedNode[] {
  const live = new Set<WalkedNode>();
  for (const edge of placed.incoming) {
    const from = body.nodes.get(edge.from);
    if (from !== undefined && isLive(edge, from)) live.add(from);
  }
  return [...live];
}

function outputsById(source: ValueSource, nodes: readonly WalkedNode[]): Record<string, unknown> {
  return Object.fromEntries(nodes.map((node) => [node.id, decodedOf(source, node.output)]));
}

/** What a body whose nodes are done puts out (W12, W13). */
export function outputOfBody(source: ValueSource, body: WalkedBody): unknown {
  const { graph } = source.state.progress;
  if (body.scope.body.output !== undefined) return evaluateTemplate(body.scope.body.output, scopeOf(source, body));
  const last = body.scope.order.filter((id) => graph.nodes.get(id)?.outgoing.length === 0);
  const nodes = last.flatMap((id) => body.nodes.get(id) ?? []);
  const [first, ...rest] = nodes;
  if (first !== undefined && rest.length === 0) return decodedOf(source, first.output);
  return outputsById(
    source,
    nodes.filter(({ status }) => status === 'ok'),
  );
}
