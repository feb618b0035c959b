import type { EventOf } from '../events/index.ts';

/** A rule of the command line that holds for later turns, too. */
export interface LastingRule {
  readonly tool: string;
  readonly match?: string;
  readonly do: 'ask' | 'deny';
}

/**
 * The rules of a `session.config` that hold for the turns after it: `deny` and `ask` of its command line, and what that
 * turn had from earlier ones. A log may hold anything: a glob that is no text leaves a rule that is wider, never none.
 */
export function lastingRules(config: EventOf<'session.config'> | undefined): readonly LastingRule[] {
  const rules: readonly (Readonly<Record<string, unknown>> | null)[] = (config?.permissions ?? []) as never;
  return rules.flatMap((rule) => {
    if (rule === null || (rule.from !== 'flag' && rule.from !== 'earlier')) return [];
    const { tool, match, do: verdict } = rule;
    if (typeof tool !== 'string' || (verdict !== 'deny' && verdict !== 'ask')) return [];
    return [{ tool, ...(typeof match === 'string' ? { match } : {}), do: verdict }];
  });
}
