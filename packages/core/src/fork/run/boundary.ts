/** Finds the `node.enter` a fork of a run is to be taken at. Nothing is guessed: what is not one is refused. */
import { isRefusal, type Refusal } from '../../codes/index.ts';
import type { NodeMark } from '../../log/index.ts';
import { type NodeName, nameInItem, resolveNodeName } from './names.ts';
import { listSome, refuseRunFork } from './refusals.ts';
import type { RunForkRequest, RunForkSource } from './types.ts';
import { collectVisits } from './visits.ts';

/** A mark, and the segment its line lies in. */
export interface FoundNode {
  readonly mark: NodeMark;
  readonly segment: number;
}

/** Visits that a refusal lists at most. */
const LISTED = 1000;

/** The boundary that a request names, or why there is none. */
export function findRunBoundary(source: RunForkSource, request: RunForkRequest): FoundNode | Refusal {
  const { fromNode, at } = request;
  const name = fromNode === undefined ? undefined : resolveNodeName(source.graph, fromNode);
  if (isRefusal(name)) return name;
  if (at !== undefined) return findAt(source, at, name);
  if (name === undefined) {
    return refuseRunFork(
      'not_a_boundary',
      'a fork of a graph run needs a node to start from, or the offset of its node.enter',
    );
  }
  return findVisit(source, name, request);
}

function findAt(source: RunForkSource, at: number, name: NodeName | undefined): FoundNode | Refusal {
  const segment = segmentOf(source, at);
  const mark = segment < 0 ? undefined : source.readDetail(segment).nodes.find(({ offset }) => offset === at);
  if (mark?.type !== 'enter') return refuseOffset(source, at, segment);
  if (name === undefined || name.matches(mark.node)) return { mark, segment };
  const message = `offset ${at} enters ${mark.node}, which is not ${name.text}`;
  return refuseRunFork('not_a_boundary', message, { at, node: mark.node });
}

function segmentOf({ heads }: RunForkSource, at: number): number {
  return heads.findIndex(({ first, count }) => at >= first && at < first + count);
}

function refuseOffset(source: RunForkSource, at: number, segment: number): Refusal {
  const from = segment >= 0 ? segment : at < 0 ? 0 : source.heads.length - 1;
  const before = nearestEnter(source, { at, from, step: -1 });
  const after = nearestEnter(source, { at, from, step: 1 });
  const named = [before, after].flatMap((mark) => (mark === null ? [] : `${mark.offset} (${mark.node})`));
  const nearest = named.length === 0 ? 'it enters none' : `the nearest are ${named.join(' and ')}`;
  return refuseRunFork('not_a_boundary', `offset ${at} is not where the run enters a node: ${nearest}`, {
    at,
    before: before === null ? null : placeOf(before),
    after: after === null ? null : placeOf(after),
  });
}

function nearestEnter(
  source: RunForkSource,
  { at, from, step }: { readonly at: number; readonly from: number; readonly step: 1 | -1 },
): NodeMark | null {
  const isNear = ({ type, offset }: NodeMark): boolean => type === 'enter' && (step < 0 ? offset < at : offset > at);
  for (let segment = from; segment >= 0 && segment < source.heads.length; segment += step) {
    if ((source.heads[segment]?.walk?.enters ?? 0) === 0) continue;
    const { nodes } = source.readDetail(segment);
    const mark = step < 0 ? nodes.findLast(isNear) : nodes.find(isNear);
    if (mark !== undefined) return mark;
  }
  return null;
}

function placeOf({ offset, node: path, attempt }: NodeMark) {
  return { offset, path, attempt };
}

function findVisit(source: RunForkSource, name: NodeName, request: RunForkRequest): FoundNode | Refusal {
  const { visits, skips } = collectVisits(source, nameInItem(source.graph, name, request.item), request.item);
  const [first] = visits;
  if (first === undefined) return skips.length > 0 ? refuseSkipped(source, name, skips) : refuseNever(name, request);
  if (request.visit !== undefined) return visits[request.visit - 1] ?? refuseVisit(name, request.visit, visits.length);
  return visits.length === 1 ? first : refuseAmbiguous(source, name, visits);
}

function refuseNever({ text }: NodeName, { item }: RunForkRequest): Refusal {
  const where = item === undefined ? '' : ` in item ${item} of a map`;
  return refuseRunFork('node_never_entered', `the run never entered ${text}${where}`, { node: text });
}

function refuseVisit({ text }: NodeName, visit: number, count: number): Refusal {
  const times = count === 1 ? 'once' : `${count} times`;
  return refuseRunFork('node_never_entered', `the run entered ${text} ${times}: there is no visit ${visit}`, {
    node: text,
    visit,
    count,
  });
}

function refuseSkipped(source: RunForkSource, { text }: NodeName, found: readonly FoundNode[]): Refusal {
  const skips = found.slice(0, LISTED).map(({ mark, segment }) => {
    const { reason } = source.readLine(segment, mark.position, mark.bytes) as { readonly reason?: unknown };
    return { offset: mark.offset, path: mark.node, reason };
  });
  const said = skips.map(({ path, reason }) => `${path === text ? '' : `${path}: `}${String(reason)}`);
  return refuseRunFork('node_skipped', `the run skipped ${text}: ${listSome(said)}`, { node: text, skips });
}

function refuseAmbiguous(source: RunForkSource, { text }: NodeName, found: readonly FoundNode[]): Refusal {
  const visits = found.slice(0, LISTED).map(({ mark, segment }, index) => {
    const { time } = source.readLine(segment, mark.position, mark.bytes) as { readonly time?: unknown };
    return { visit: index + 1, ...placeOf(mark), time };
  });
  const named = visits.map(({ visit, offset, path }) => `${visit}: ${path} (offset ${offset})`);
  const message = `the run entered ${text} at ${found.length} places, name one by its path, offset or visit: ${listSome(named)}`;
  return refuseRunFork('node_visit_ambiguous', message, { node: text, count: found.length, visits });
}
