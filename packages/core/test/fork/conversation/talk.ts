/** Builds the events of an agent's turns in a run, and takes a conversation of a run that must be one. */
import {
  type ConversationPlan,
  type ConversationRequest,
  type EventDraft,
  isRefusal,
  planConversation,
  type Refusal,
  type RunForkSource,
  takeConversation,
} from '@ramet/core';
import { buildConfig, type encodeLog } from '@ramet/testkit';

type Lines = ReturnType<typeof encodeLog>;

export interface Turn {
  readonly prompt?: string;
  readonly text?: string;
  readonly tokens?: number;
  /** Null: the turn is left open. */
  readonly reason?: 'completed' | 'failed' | null;
}

/** One turn of an agent that answers at once. */
export function turn(node: string, { prompt = 'go', text = 'done', tokens = 10, reason = 'completed' }: Turn = {}) {
  const model = { node, model: 'test/model', attempt: 1, purpose: 'turn' } as const;
  const end: EventDraft = { type: 'session.end', node, reason: reason ?? 'failed', checkpoint: 'none', why: 'later' };
  const events: readonly EventDraft[] = [
    { type: 'message', node, message: { role: 'user', content: prompt } },
    { type: 'model.request', digest: 'ab'.repeat(32) as never, ...model },
    {
      type: 'model.response',
      ...model,
      message: { role: 'assistant', content: [{ type: 'text', text }] },
      usage: { inputTokens: tokens, outputTokens: 1 },
    },
    ...(reason === null ? [] : [end]),
  ];
  return events;
}

/** What an agent runs with, at each entry. */
export function config(node: string): EventDraft {
  return { ...buildConfig('test/model'), node };
}

/** How a run opened its workspace. */
export function opened(base = 'c0ffee', node?: string): EventDraft {
  const rest = { branch: 'main', carried: [], copied: [], leftOut: [], dirty: {} };
  return { type: 'workspace.open', kind: 'git', base, ...rest, ...(node === undefined ? {} : { node }) };
}

/** How the copy of a node was cut. */
export function restored(node: string, id: string | null): EventDraft {
  const outcome = id === null ? 'fresh' : 'restored';
  return { type: 'workspace.restore', node, checkpoint: id, outcome, carried: [] };
}

/** A plan that must be one. */
export function conversationOf(source: RunForkSource, request: ConversationRequest): ConversationPlan {
  const plan = planConversation(source, request);
  if (isRefusal(plan)) throw new Error(`${plan.code}: ${plan.message}`);
  return plan;
}

/** A refusal that must be one. */
export function refusedOf(source: RunForkSource, request: ConversationRequest): Refusal {
  const plan = planConversation(source, request);
  if (!isRefusal(plan)) throw new Error('the conversation was planned');
  return plan;
}

/** What is taken of a plan. */
export function take(source: RunForkSource, lines: Lines, plan: ConversationPlan): readonly EventDraft[] | Refusal {
  const events = lines.map(({ event }) => event);
  return takeConversation({ events, graph: source.graph, decode: (value) => value }, plan);
}

/** What must be there to be taken. */
export function taken(source: RunForkSource, lines: Lines, request: ConversationRequest): readonly EventDraft[] {
  const drafts = take(source, lines, conversationOf(source, request));
  if (isRefusal(drafts)) throw new Error(`${drafts.code}: ${drafts.message}`);
  return drafts;
}
