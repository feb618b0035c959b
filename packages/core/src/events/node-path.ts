/**
 * Paths of nodes: `m1[2]/f1#3/body` is node `body` in pass 3 of fold `f1`, in item 2 of map `m1`. This file alone knows
 * how they are written. Items count from 0, passes from 1.
 */
import type { NodePath } from './types.ts';

/** One step of a path: an id; of a map the item, of a fold the pass that the next step lies in. */
export interface PathStep {
  readonly id: string;
  readonly item?: number;
  readonly pass?: number;
}

/** The path of a body: `''` is the document itself, `m1[2]` an item, `f1#3` a pass. */
export type BodyPath = string;

/** What an id of a node is, as the source of a regular expression. */
export const NODE_ID = '[A-Za-z_][A-Za-z0-9_-]{0,63}';

const STEP = new RegExp(`^(${NODE_ID})(?:\\[(0|[1-9][0-9]{0,14})\\]|#([1-9][0-9]{0,14}))?$`);
/** What makes a map's path that of an item, or a fold's that of a pass. */
const NUMBER = /[[#](\d+)\]?$/;

/** The steps of a path, outermost first, or null; the last one has neither item nor pass. */
export function parseNodePath(text: unknown): readonly PathStep[] | null {
  if (typeof text !== 'string') return null;
  const steps = text.split('/').map(parsePathStep);
  const inner = steps.slice(0, -1).every((step) => step !== null && (step.item ?? step.pass) !== undefined);
  const last = steps.at(-1);
  if (!inner || last === null || last === undefined || (last.item ?? last.pass) !== undefined) return null;
  return steps as readonly PathStep[];
}

/** One step of a path, or null. */
export function parsePathStep(text: string): PathStep | null {
  const [, id, item, pass] = STEP.exec(text) ?? [];
  if (id === undefined) return null;
  if (item !== undefined) return { id, item: Number(item) };
  return pass === undefined ? { id } : { id, pass: Number(pass) };
}

/** The path of a node in a body. */
export function nodePathOf(body: BodyPath, id: string): NodePath {
  return body === '' ? id : `${body}/${id}`;
}

/** The path of an item of a map. */
export function itemPathOf(map: NodePath, index: number): BodyPath {
  return `${map}[${index}]`;
}

/** The path of a pass of a fold. */
export function passPathOf(fold: NodePath, pass: number): BodyPath {
  return `${fold}#${pass}`;
}

/** The body a node lies in, and its id there. */
export function splitNodePath(path: NodePath): { readonly body: BodyPath; readonly id: string } {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? { body: '', id: path } : { body: path.slice(0, slash), id: path.slice(slash + 1) };
}

/** The id of a node: the last step of its path. */
export function nodeIdOf(path: NodePath): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The map or fold that a body belongs to: `m1` of `m1[2]`. */
export function ownerPathOf(body: BodyPath): NodePath {
  return body.replace(NUMBER, '');
}

/** The id of that map or fold. */
export function ownerIdOf(body: BodyPath): string {
  return nodeIdOf(ownerPathOf(body));
}

/** Which item or pass a body is; 0 for the document itself. */
export function bodyNumberOf(body: BodyPath): number {
  return Number(NUMBER.exec(body)?.[1] ?? 0);
}

/** The item of the innermost map around a node, or null. */
export function innermostItemOf(path: NodePath): number | null {
  const at = path.lastIndexOf('[');
  return at < 0 ? null : Number.parseInt(path.slice(at + 1), 10);
}

/** Whether a node or a body lies in a body, at any depth. */
export function liesIn(path: NodePath | BodyPath, body: BodyPath): boolean {
  return body === '' || path.startsWith(`${body}/`);
}

/** Whether a path lies in a body of this map or fold, at any depth. */
export function isInside(path: NodePath, container: NodePath): boolean {
  const next = path[container.length];
  return path.startsWith(container) && (next === '[' || next === '#');
}
