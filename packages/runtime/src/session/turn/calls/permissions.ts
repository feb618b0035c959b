/** Whether one call may be made: rules first, then the default for what can leave the workspace. */
import type { Contained } from '@ramet/core';
import type { PermissionRule } from '../../types.ts';

export type Verdict =
  | { readonly kind: 'allow' }
  | { readonly kind: 'ask'; readonly reason: string }
  | { readonly kind: 'deny'; readonly reason: string };

/** The facts a verdict rests on. */
export interface CallFacts {
  readonly tool: string;
  /** What globs are matched against: the command, the path. */
  readonly subject: string;
  readonly contained: Contained;
}

/** Decides: `deny` beats `ask` beats `allow`; without a rule, what is contained is allowed and the rest is asked about. */
export function decideCall(facts: CallFacts, rules: readonly PermissionRule[]): Verdict {
  const matching = rules.filter((rule) => appliesTo(rule, facts));
  const verdicts = new Set(matching.map((rule) => rule.do));
  if (verdicts.has('deny')) return { kind: 'deny', reason: `a rule denies ${facts.tool} here` };
  if (verdicts.has('ask')) return { kind: 'ask', reason: `a rule says to ask about ${facts.tool}` };
  if (verdicts.has('allow') || facts.contained === true) return { kind: 'allow' };
  return { kind: 'ask', reason: describeReach(facts) };
}

function describeReach(facts: CallFacts): string {
  return facts.contained === 'unless_egress'
    ? `${facts.tool} may reach the network here (--allow ${facts.tool} lets it)`
    : `${facts.tool} runs with your own rights here: nothing it does can be contained or undone`;
}

function appliesTo(rule: PermissionRule, facts: CallFacts): boolean {
  if (rule.tool !== '*' && rule.tool !== facts.tool) return false;
  return rule.match === undefined || matchesSubject(facts.subject, rule.match);
}

/** `*` stands for anything, a slash or a newline too: a command is no path. Everything else stands for itself. */
function matchesSubject(subject: string, glob: string): boolean {
  const pieces = glob.split('*');
  if (pieces.length === 1) return subject === glob;
  const [first = '', ...rest] = pieces;
  const last = rest.pop() ?? '';
  if (!subject.startsWith(first) || subject.length < first.length + last.length || !subject.endsWith(last))
    return false;
  let at = first.length;
  for (const piece of rest) {
    const found = subject.indexOf(piece, at);
    if (found === -1 || found + piece.length > subject.length - last.length) return false;
    at = found + piece.length;
  }
  return true;
}
