import { invariant } from '../../codes/index.ts';
import type { NodePath } from '../../events/index.ts';
import { splitNodePath } from '../../events/index.ts';
import { evaluateTemplate } from '../expression/index.ts';
import { scopeOf, type ValueSource } from './values.ts';

/** The value of a template of a node that is at work, as expressions at its place see it. Throws a `Failure`. */
export function evaluateAtNode(source: ValueSource, path: NodePath, template: unknown): unknown {
  const body = source.state.progress.bodies.get(splitNodePath(path).body);
  invariant(body !== undefined, `${path} lies in no body that is being walked`);
  return evaluateTemplate(template, scopeOf(source, body));
}
