/** Every template and expression of a document: that it can be read, and that what it names is there when it is evaluated. */
import { type CompiledExpression, compileExpression } from '../expression/compile.ts';
import { LOCAL_NAMES, type LocalName } from '../expression/scope.ts';
import type { NodeReference } from '../expression/syntax.ts';
import { parseTemplate } from '../expression/template.ts';
import type { DraftBody, DraftNode } from './draft.ts';
import { describeBody } from './edges.ts';
import { stringsIn, textsOf } from './node-texts.ts';
import { orderNodes } from './order.ts';
import type { Place, Report } from './report.ts';

/** Where a text stands: at a node, or (null) behind all nodes of a body. */
interface Standpoint {
  readonly body: DraftBody;
  readonly node: DraftNode | null;
  readonly locals: ReadonlySet<string>;
}

/** Says what is wrong with the texts of all bodies. */
export function checkReferences(
  bodies: readonly DraftBody[],
  all: ReadonlyMap<string, DraftNode>,
  report: Report,
): void {
  const checker = new ReferenceChecker(all, report);
  for (const body of bodies) {
    const locals = localsOf(body);
    checker.checkTemplate(body.fields.output, [...body.place, 'output'], { body, node: null, locals });
    for (const node of body.nodes.values()) checkNode(node, { body, node, locals }, checker);
  }
}

function checkNode(node: DraftNode, standpoint: Standpoint, checker: ReferenceChecker): void {
  for (const { kind, at, value, locals } of textsOf(node.fields)) {
    const place = [...node.place, ...at];
    const here =
      locals.length === 0 ? standpoint : { ...standpoint, locals: new Set([...standpoint.locals, ...locals]) };
    if (kind === 'template') checker.checkTemplate(value, place, here);
    else checker.checkExpression(value, place, here);
  }
}

/** The names that the bodies around bring; those of an inner body stand before an outer one's. */
function localsOf({ owner }: DraftBody): ReadonlySet<string> {
  if (owner === null) return new Set();
  return new Set([...localsOf(owner.body), ...(owner.kind === 'map' ? ['item', 'index'] : ['previous', 'pass'])]);
}

const WHERE: Readonly<Record<LocalName, string>> = {
  item: "in the body of a 'map'",
  index: "in the body of a 'map'",
  previous: "in the body of a 'fold'",
  pass: "in the body of a 'fold' and in its 'until'",
  output: "in the 'until' of a 'fold'",
};

class ReferenceChecker {
  readonly #all: ReadonlyMap<string, DraftNode>;
  readonly #report: Report;
  readonly #ancestries = new Map<DraftBody, Ancestry>();

  constructor(all: ReadonlyMap<string, DraftNode>, report: Report) {
    this.#all = all;
    this.#report = report;
  }

  checkTemplate(value: unknown, place: Place, standpoint: Standpoint): void {
    for (const found of stringsIn(value, place)) this.#checkText(found.text, found.place, standpoint);
  }

  checkExpression(text: unknown, place: Place, standpoint: Standpoint): void {
    if (typeof text !== 'string' || text === '') return;
    const expression = compileExpression(text);
    if (expression.kind === 'broken') this.#report.add(place, expression.message);
    else for (const problem of this.#problemsOf(expression, standpoint)) this.#report.add(place, problem);
  }

  *#problemsOf({ names, nodes }: CompiledExpression, standpoint: Standpoint): Generator<string> {
    for (const name of names)
      if (isLocal(name) && !standpoint.locals.has(name)) yield `'${name}' is only known ${WHERE[name]}`;
    for (const reference of nodes) {
      const problem = this.#problemOf(reference, standpoint);
      if (problem !== null) yield problem;
    }
  }

  #checkText(text: string, place: Place, standpoint: Standpoint): void {
    for (const part of parseTemplate(text)) {
      if (part.kind === 'expression' && part.text === '') this.#report.add(place, 'the expression is empty');
      else if (part.kind === 'expression') this.checkExpression(part.text, place, standpoint);
      else if (part.kind === 'broken') this.#report.add(place, part.message);
    }
  }

  #problemOf({ id }: NodeReference, standpoint: Standpoint): string | null {
    let at: { readonly body: DraftBody; readonly node: DraftNode | null } = standpoint;
    while (!at.body.nodes.has(id)) {
      const { owner } = at.body;
      if (owner === null) return this.#unknown(id, standpoint);
      at = { body: owner.body, node: owner };
    }
    if (at.node === null) return null;
    if (at.node.id === id) return `'${id}' does not come before itself`;
    if (this.#ancestryOf(at.body).comesBefore(id, at.node.id)) return null;
    return `'${id}' does not come before '${at.node.id}': no path of edges leads from it`;
  }

  #unknown(id: string, standpoint: Standpoint): string {
    const elsewhere = this.#all.get(id);
    if (elsewhere === undefined) return `unknown node '${id}'${this.#report.hint(id, idsAround(standpoint.body))}`;
    return `'${id}' lies in ${describeBody(elsewhere.body)}, which shows only its output`;
  }

  #ancestryOf(body: DraftBody): Ancestry {
    const known = this.#ancestries.get(body);
    if (known !== undefined) return known;
    const ancestry = new Ancestry(body);
    this.#ancestries.set(body, ancestry);
    return ancestry;
  }
}

function isLocal(name: string): name is LocalName {
  return (LOCAL_NAMES as readonly string[]).includes(name);
}

function* idsAround(body: DraftBody): Generator<string> {
  yield* body.nodes.keys();
  if (body.owner !== null) yield* idsAround(body.owner.body);
}

/** Which nodes of a body come before which, a bit for each pair. */
class Ancestry {
  readonly #index: ReadonlyMap<string, number>;
  readonly #before: ReadonlyMap<string, Uint32Array>;

  constructor(body: DraftBody) {
    const { order } = orderNodes(body.nodes.keys(), body.edges);
    this.#index = new Map(order.map((id, index) => [id, index]));
    const before = new Map(order.map((id) => [id, new Uint32Array(Math.ceil(order.length / 32))]));
    const incoming = Map.groupBy(body.edges, ({ to }) => to);
    for (const id of order)
      for (const { from } of incoming.get(id) ?? []) this.#join(before.get(id), from, before.get(from));
    this.#before = before;
  }

  /** True also of what lies on or behind a cycle: that is said elsewhere. */
  comesBefore(earlier: string, later: string): boolean {
    const index = this.#index.get(earlier);
    const row = this.#before.get(later);
    if (index === undefined || row === undefined) return true;
    return (((row[index >>> 5] ?? 0) >>> (index & 31)) & 1) === 1;
  }

  #join(row: Uint32Array | undefined, from: string, others: Uint32Array | undefined): void {
    const index = this.#index.get(from);
    if (row === undefined || others === undefined || index === undefined) return;
    for (const [word, bits] of others.entries()) row[word] = (row[word] ?? 0) | bits;
    row[index >>> 5] = (row[index >>> 5] ?? 0) | (1 << (index & 31));
  }
}
