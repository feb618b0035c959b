/** Approvals a person gave for the rest of a session: no fork inherits them, but each can be given again as a rule. */
import type { Client, EventPage, Rule } from '@ramet/client';
import type { LoggedEvent } from '@ramet/core/events';
import { canonicalJson } from '@ramet/core/log';
import { createSessionFold } from '@ramet/core/session';
import { decoderOf } from '@ramet/core/transcript';

/** An approval that stood at the fork point. */
export interface Grant {
  readonly tool: string;
  readonly input: unknown;
  /** What would allow the same call in the child. */
  readonly rule: Rule;
  /** The rule allows other calls, too: its text holds a `*`, which stands for anything. */
  readonly isWider: boolean;
}

const PAGE = 2000;

const decode = decoderOf({ readPayload: () => null });

/** Reads the approvals that stood at an offset, each once. */
export async function readGrants(
  client: Client,
  { id, at }: { readonly id: string; readonly at: number },
  signal: AbortSignal,
): Promise<readonly Grant[]> {
  const fold = createSessionFold();
  for (let from: number | null = 0; from !== null && from <= at; ) {
    const query = { from, limit: Math.min(PAGE, at - from + 1) };
    const page: EventPage = await client.call('readEvents', { path: { id }, query }, signal);
    for (const event of page.events) fold.add(event as unknown as LoggedEvent);
    from = page.next;
  }
  const grants = fold.state.grants.map(({ tool, input }) => makeGrant(tool, decode(input)));
  return [...new Map(grants.map((grant) => [`${grant.tool} ${grant.rule.match}`, grant])).values()];
}

/** The approval as it could be given again. */
export function makeGrant(tool: string, input: unknown): Grant {
  const match = subjectOf(input);
  return { tool, input, rule: { tool, match, do: 'allow' }, isWider: match.includes('*') };
}

/** What rules are matched against: a command, a path, else the input's canonical JSON. */
function subjectOf(input: unknown): string {
  const { command, path } = (input ?? {}) as { readonly command?: unknown; readonly path?: unknown };
  if (typeof command === 'string') return command.trim();
  return typeof path === 'string' ? path : canonicalJson(input);
}
