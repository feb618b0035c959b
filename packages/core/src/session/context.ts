import type { Message, ToolCallPart, ToolResultPart, UserMessage } from '../events/index.ts';
import { type ContextEvent, toolCallsOf } from './state.ts';

/** Turns an encoded value of the log back into the value that was recorded. */
export type Decode = (value: unknown) => unknown;

/**
 * Renders the messages a model is sent, in the AI SDK's `ModelMessage` shapes.
 *
 * 1. The same events give the same messages: nothing of the time, the run's id or the host is in them, so a child's
 *    first request equals, up to the boundary, what its parent's next would have been.
 * 2. Every tool call is followed by a tool message that answers it, and every tool message answers calls; a result
 *    whose call a summary has replaced is left out with it.
 */
export function renderContext(events: readonly ContextEvent[], decode: Decode): readonly Message[] {
  const messages: Message[] = [];
  let unanswered: ToolCallPart[] = [];
  let results: ToolResultPart[] = [];
  const flush = (): void => {
    const missing = unanswered.map((call) => answerMissing(call));
    if (results.length + missing.length > 0) messages.push({ role: 'tool', content: [...results, ...missing] });
    unanswered = [];
    results = [];
  };
  for (const event of events) {
    if (event.type === 'tool.result') {
      const { callId: toolCallId, tool: toolName } = event;
      const answered = unanswered.findIndex((call) => call.toolCallId === toolCallId);
      if (answered === -1) continue;
      unanswered = unanswered.toSpliced(answered, 1);
      results.push({
        type: 'tool-result',
        toolCallId,
        toolName,
        output: decode(event.output) as ToolResultPart['output'],
      });
      continue;
    }
    flush();
    if (event.type === 'message') messages.push(renderUserMessage(event.message, event.notices ?? [], decode));
    else if (event.type === 'context.compact')
      messages.push({ role: 'user', content: renderSummary(event.summary, decode) });
    else if (event.message !== undefined && event.message.content.length > 0) {
      messages.push(decode(event.message) as Message);
      unanswered = [...toolCallsOf(event.message)];
    }
  }
  flush();
  return messages;
}

function renderUserMessage(message: UserMessage, notices: readonly string[], decode: Decode): UserMessage {
  const content = decode(message.content) as UserMessage['content'];
  if (notices.length === 0) return { role: 'user', content };
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const words = notices.map((notice) => ({ type: 'text' as const, text: String(decode(notice)) }));
  return { role: 'user', content: [...words, ...parts] };
}

function renderSummary(summary: unknown, decode: Decode): string {
  return `The conversation so far, summarised because it no longer fits:\n\n${String(decode(summary))}`;
}

function answerMissing(call: ToolCallPart): ToolResultPart {
  const { toolCallId, toolName } = call;
  return {
    type: 'tool-result',
    toolCallId,
    toolName,
    output: { type: 'error-text', value: 'no result of this call is recorded' },
  };
}
