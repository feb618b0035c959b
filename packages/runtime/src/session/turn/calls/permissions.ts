/** Whether one call may be made: rules first, then the default for what can leave the workspace. */
import type { Contained } from '@ramet/core';
import { coversTool, isMcpToolName } from '../../../tools/names.ts';
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
  const find = (verdict: PermissionRule['do']) => matching.find((rule) => rule.do === verdict);
  const deny = find('deny');
  if (deny !== undefined) return { kind: 'deny', reason: renderRule(deny) };
  const ask = find('ask');
  if (ask !== undefined) return { kind: 'ask', reason: `${renderRule(ask)} says to ask` };
  if (find('allow') !== undefined || facts.contained === true) return { kind: 'allow' };
  return { kind: 'ask', reason: describeReach(facts) };
}

/** Whether flags of this very command say yes to a call; what it also says to ask about, or to deny, is no yes. */
export function isAllowedByFlag(facts: CallFacts, rules: readonly PermissionRule[]): boolean {
  const given = rules.filter((rule) => rule.from === 'flag' && appliesTo(rule, facts));
  return given.length > 0 && given.every((rule) => rule.do === 'allow');
}

/** A rule and where it comes from, as people and the agent are told: no path of the host is in it. */
function renderRule(rule: PermissionRule): string {
  const text = rule.match === undefined ? rule.tool : `${rule.tool}:${rule.match}`;
  return `the rule ${text} (${describeSource(rule)})`;
}

function describeSource({ from = 'flag', do: verdict }: PermissionRule): string {
  switch (from) {
    case 'person':
      return "the person's ramet.json";
    case 'project':
      return "the project's ramet.json";
    case 'flag':
      return `--${verdict}`;
    case 'earlier':
      return `--${verdict} of an earlier turn`;
  }
}

function describeReach(facts: CallFacts): string {
  if (isMcpToolName(facts.tool))
    return `${facts.tool} is a tool of an MCP server: what it does is outside the sandbox, and no fork undoes it`;
  return facts.contained === 'unless_egress'
    ? `${facts.tool} may reach the network here (--allow ${facts.tool} lets it)`
    : `${facts.tool} runs with your own rights here: nothing it does can be contained or undone`;
}

function appliesTo(rule: PermissionRule, facts: CallFacts): boolean {
  if (!coversTool(rule.tool, facts.tool)) return false;
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
