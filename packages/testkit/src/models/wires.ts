/** Replies in the wire formats of the providers, as their streaming documentation gives them. Pure. */
import type { WireAnswer } from './endpoint.ts';

export interface WireReply {
  readonly reasoning?: { readonly text: string; readonly signature: string };
  readonly text?: string;
  /** `input` is text, so that it may be no JSON. */
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly input: string }[];
  /** Uncached input, cached input, output. */
  readonly tokens?: { readonly input: number; readonly cached: number; readonly output: number };
  readonly model?: string;
}

export type Wire = 'anthropic' | 'openai' | 'google' | 'openai-compatible';

const NO_TOKENS = { input: 0, cached: 0, output: 0 };

/** Renders a reply as one provider streams it. */
export function renderWire(wire: Wire, reply: WireReply): WireAnswer {
  const render = {
    anthropic: renderAnthropic,
    openai: renderResponses,
    google: renderGoogle,
    'openai-compatible': renderChat,
  };
  return { body: render[wire](reply) };
}

/** One server-sent event with its name in the event line, where the format has one. */
export function renderEvent(data: Readonly<Record<string, unknown>>): string {
  const name = typeof data.type === 'string' ? `event: ${data.type}\n` : '';
  return `${name}data: ${JSON.stringify(data)}\n\n`;
}

/** In two, so that a reader has to put deltas together. */
function halve(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== '');
}

/** Anthropic Messages: `message_start`, blocks, `message_delta`, `message_stop`. */
function renderAnthropic(reply: WireReply): string[] {
  const { input, cached, output } = reply.tokens ?? NO_TOKENS;
  const usage = { input_tokens: input, cache_read_input_tokens: cached, cache_creation_input_tokens: 0 };
  const events: Record<string, unknown>[] = [];
  const addBlock = (block: Record<string, unknown>, deltas: Record<string, unknown>[]) => {
    const index = events.filter((event) => event.type === 'content_block_start').length;
    events.push({ type: 'content_block_start', index, content_block: block });
    events.push(...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })));
    events.push({ type: 'content_block_stop', index });
  };
  if (reply.reasoning !== undefined) {
    addBlock({ type: 'thinking', thinking: '', signature: '' }, [
      { type: 'thinking_delta', thinking: reply.reasoning.text },
      { type: 'signature_delta', signature: reply.reasoning.signature },
    ]);
  }
  if (reply.text !== undefined) {
    addBlock(
      { type: 'text', text: '' },
      halve(reply.text).map((text) => ({ type: 'text_delta', text })),
    );
  }
  for (const call of reply.toolCalls ?? []) {
    addBlock(
      { type: 'tool_use', id: call.id, name: call.name, input: {} },
      halve(call.input).map((half) => ({ type: 'input_json_delta', partial_json: half })),
    );
  }
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: reply.model ?? 'claude-sonnet-4-5',
    content: [],
  };
  const stop = reply.toolCalls === undefined ? 'end_turn' : 'tool_use';
  return [
    {
      type: 'message_start',
      message: { ...message, stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 } },
    },
    ...events,
    { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: output } },
    { type: 'message_stop' },
  ].map(renderEvent);
}

/** OpenAI Chat Completions chunks; no usage chunk when no tokens are given. */
function renderChat(reply: WireReply): string[] {
  const frame = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: reply.model ?? 'local-model' };
  const chunk = (delta: Record<string, unknown>, finish_reason: string | null = null) =>
    renderEvent({ ...frame, choices: [{ index: 0, delta, finish_reason }] });
  const chunks = [chunk({ role: 'assistant', content: '' })];
  if (reply.reasoning !== undefined) chunks.push(chunk({ reasoning_content: reply.reasoning.text }));
  for (const half of halve(reply.text ?? '')) chunks.push(chunk({ content: half }));
  for (const [index, call] of (reply.toolCalls ?? []).entries()) {
    const start = { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } };
    chunks.push(chunk({ tool_calls: [start] }));
    for (const half of halve(call.input))
      chunks.push(chunk({ tool_calls: [{ index, function: { arguments: half } }] }));
  }
  chunks.push(chunk({}, reply.toolCalls === undefined ? 'stop' : 'tool_calls'));
  if (reply.tokens !== undefined) {
    const { input, cached, output } = reply.tokens;
    const usage = {
      prompt_tokens: input + cached,
      completion_tokens: output,
      total_tokens: input + cached + output,
      ...(cached === 0 ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
    };
    chunks.push(renderEvent({ ...frame, choices: [], usage }));
  }
  return [...chunks, 'data: [DONE]\n\n'];
}

/** OpenAI Responses: an item each for reasoning, message and calls, then `response.completed`. */
function renderResponses(reply: WireReply): string[] {
  const events: Record<string, unknown>[] = [];
  let index = 0;
  const addItem = (start: Record<string, unknown>, deltas: Record<string, unknown>[], end: Record<string, unknown>) => {
    const output_index = index++;
    events.push({ type: 'response.output_item.added', output_index, item: start });
    events.push(...deltas.map((delta) => ({ ...delta, item_id: start.id, output_index })));
    events.push({ type: 'response.output_item.done', output_index, item: { ...start, ...end } });
  };
  if (reply.reasoning !== undefined) {
    const { text, signature } = reply.reasoning;
    addItem(
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: null },
      [
        { type: 'response.reasoning_summary_part.added', summary_index: 0, part: { type: 'summary_text', text: '' } },
        { type: 'response.reasoning_summary_text.delta', summary_index: 0, delta: text },
        { type: 'response.reasoning_summary_part.done', summary_index: 0, part: { type: 'summary_text', text } },
      ],
      { summary: [{ type: 'summary_text', text }], encrypted_content: signature },
    );
  }
  if (reply.text !== undefined) {
    addItem(
      { type: 'message', id: 'msg_1', status: 'in_progress', role: 'assistant', content: [] },
      halve(reply.text).map((delta) => ({ type: 'response.output_text.delta', content_index: 0, delta })),
      { status: 'completed', content: [{ type: 'output_text', text: reply.text, annotations: [] }] },
    );
  }
  for (const call of reply.toolCalls ?? []) {
    addItem(
      {
        type: 'function_call',
        id: `fc_${call.id}`,
        call_id: call.id,
        name: call.name,
        arguments: '',
        status: 'in_progress',
      },
      halve(call.input).map((delta) => ({ type: 'response.function_call_arguments.delta', delta })),
      { arguments: call.input, status: 'completed' },
    );
  }
  const response = { id: 'resp_1', object: 'response', created_at: 1, model: reply.model ?? 'gpt-5', output: [] };
  const { input, cached, output } = reply.tokens ?? NO_TOKENS;
  const usage = {
    input_tokens: input + cached,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reply.reasoning === undefined ? 0 : 1 },
    total_tokens: input + cached + output,
  };
  const all: Record<string, unknown>[] = [
    { type: 'response.created', response: { ...response, status: 'in_progress' } },
    ...events,
    { type: 'response.completed', response: { ...response, status: 'completed', usage } },
  ];
  return all.map((event, sequence_number) => renderEvent({ ...event, sequence_number }));
}

/** Google `streamGenerateContent?alt=sse`; a signature lies on the first call, else on the thought. */
function renderGoogle(reply: WireReply): string[] {
  const signature = reply.reasoning?.signature;
  const parts: Record<string, unknown>[] = [];
  if (reply.reasoning !== undefined) parts.push({ text: reply.reasoning.text, thought: true });
  for (const half of halve(reply.text ?? '')) parts.push({ text: half });
  for (const [index, call] of (reply.toolCalls ?? []).entries()) {
    const functionCall = { name: call.name, args: JSON.parse(call.input) as unknown };
    parts.push(
      index === 0 && signature !== undefined ? { functionCall, thoughtSignature: signature } : { functionCall },
    );
  }
  const { input, cached, output } = reply.tokens ?? NO_TOKENS;
  const frame = { modelVersion: reply.model ?? 'gemini-2.5-pro', responseId: 'r1' };
  const usageMetadata = {
    promptTokenCount: input + cached,
    candidatesTokenCount: output,
    totalTokenCount: input + cached + output,
    ...(cached === 0 ? {} : { cachedContentTokenCount: cached }),
  };
  return [
    ...parts.map((part) =>
      renderEvent({ ...frame, candidates: [{ index: 0, content: { role: 'model', parts: [part] } }] }),
    ),
    renderEvent({ ...frame, candidates: [{ index: 0, finishReason: 'STOP' }], usageMetadata }),
  ];
}
