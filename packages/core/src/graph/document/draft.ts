/** A document that may be wrong, as far as it can be read: what the rules look at. */
import type { Place } from './report.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A node, of any kind or none. */
export interface DraftNode {
  readonly id: string;
  readonly kind: unknown;
  readonly fields: Fields;
  readonly place: Place;
  /** Where it lies. */
  readonly body: DraftBody;
  /** Of a map or a fold. */
  readonly inner: DraftBody | null;
}

/** An edge with two ends. */
export interface DraftEdge {
  readonly from: string;
  readonly to: string;
  readonly on: string | undefined;
  readonly place: Place;
}

/** The document, or the body of a map or a fold. */
export interface DraftBody {
  readonly fields: Fields;
  readonly place: Place;
  readonly owner: DraftNode | null;
  /** How many bodies it lies in. */
  readonly depth: number;
  readonly nodes: ReadonlyMap<string, DraftNode>;
  readonly edges: readonly DraftEdge[];
}

/** What can be read of a document. */
export function readDraft(document: unknown): DraftBody {
  return readBody(fieldsOf(document), [], null);
}

/** Every body of a document, outer ones first. */
export function bodiesOf(body: DraftBody): readonly DraftBody[] {
  return [body, ...[...body.nodes.values()].flatMap(({ inner }) => (inner === null ? [] : bodiesOf(inner)))];
}

/** An object's fields; none of anything else. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function readBody(fields: Fields, place: Place, owner: DraftNode | null): DraftBody {
  const nodes = new Map<string, DraftNode>();
  const depth = owner === null ? 0 : owner.body.depth + 1;
  const body: DraftBody = { fields, place, owner, depth, nodes, edges: readEdges(fields.edges, [...place, 'edges']) };
  for (const [id, value] of Object.entries(fieldsOf(fields.nodes)))
    if (value !== undefined) nodes.set(id, readNode(id, fieldsOf(value), body));
  return body;
}

function readNode(id: string, fields: Fields, body: DraftBody): DraftNode {
  const place = [...body.place, 'nodes', id];
  const { kind } = fields;
  const node = { id, kind, fields, place, body, inner: null as DraftBody | null };
  if (kind === 'map' || kind === 'fold') node.inner = readBody(fieldsOf(fields.body), [...place, 'body'], node);
  return node;
}

function readEdges(value: unknown, place: Place): DraftEdge[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item, index) => {
    const { from, to, on } = fieldsOf(item);
    if (typeof from !== 'string' || typeof to !== 'string') return [];
    return [{ from, to, on: typeof on === 'string' ? on : undefined, place: [...place, index] }];
  });
}
