/** Which fields of a node hold templates and expressions: what is checked of them, evaluated, and asked about at a fork. */
import type { LocalName } from '../expression/scope.ts';
import type { Place } from './report.ts';

/** A field that is evaluated. */
export interface NodeText {
  /** An expression is one text; a template any JSON whose texts may hold expressions. */
  readonly kind: 'template' | 'expression';
  /** From the node to the field. */
  readonly at: Place;
  /** As the document has it; in one that was not validated, anything. */
  readonly value: unknown;
  /** Names it sees besides those of the bodies around it. */
  readonly locals: readonly LocalName[];
}

/** The texts of a node, of one that may be wrong as far as they can be read; those of its body are its body's. */
export function textsOf(node: Readonly<Record<string, unknown>>): readonly NodeText[] {
  const template = (name: string): NodeText => ({ kind: 'template', at: [name], value: node[name], locals: [] });
  const input = template('input');
  switch (node.kind) {
    case 'agent':
      return [input, template('prompt')];
    case 'gate':
      return [input, template('question')];
    case 'branch':
      return [input, template('question'), ...conditionsOf(node.cases)];
    case 'map':
      return [input, { kind: 'expression', at: ['over'], value: node.over, locals: [] }];
    case 'fold': {
      const until: NodeText = { kind: 'expression', at: ['until'], value: node.until, locals: ['output', 'pass'] };
      return [input, template('initial'), until];
    }
    default:
      return [input];
  }
}

function conditionsOf(cases: unknown): readonly NodeText[] {
  if (!Array.isArray(cases)) return [];
  return cases.map((item: { readonly when?: unknown } | null, index) => {
    return { kind: 'expression', at: ['cases', index, 'when'], value: item?.when, locals: [] };
  });
}

/** Every text in a template, and its place. */
export function* stringsIn(template: unknown, place: Place = []): Generator<{ text: string; place: Place }> {
  if (typeof template === 'string') yield { text: template, place };
  if (typeof template !== 'object' || template === null) return;
  const entries = Array.isArray(template) ? template.entries() : Object.entries(template);
  for (const [key, part] of entries) yield* stringsIn(part, [...place, key]);
}
