import type { PermissionRule } from '@ramet/runtime/session';

/** A rule of the command line: `<tool>` or `<tool>:<glob>`. */
export function parseRule(text: string): Omit<PermissionRule, 'do'> {
  const colon = text.indexOf(':');
  const tool = colon < 0 ? text : text.slice(0, colon);
  const match = colon < 0 ? undefined : text.slice(colon + 1);
  if (!/^(\*|[A-Za-z0-9_.-]+\*?)$/.test(tool))
    throw new SyntaxError(`expected <tool> or <tool>:<glob>, found '${text}'`);
  if (match === '') throw new SyntaxError(`expected a glob after '${tool}:'`);
  return { tool, ...(match === undefined ? {} : { match }) };
}
