/**
 * Messages in the AI SDK's `ModelMessage` shapes (the part of them Ramet writes), so that a log is a transcript any
 * AI SDK program can read.
 */

/** `providerOptions` as in `ReasoningPart`; only a model's text has them. */
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
  readonly providerOptions?: Readonly<Record<string, unknown>>;
}

/** A file given with a prompt; `data` is base64 or, once stored, a payload reference. */
export interface FilePart {
  readonly type: 'file';
  readonly mediaType: string;
  readonly filename?: string;
  readonly data: unknown;
}

/** `providerOptions` carries what a provider needs back unchanged (signatures of thinking blocks). */
export interface ReasoningPart {
  readonly type: 'reasoning';
  readonly text: string;
  readonly providerOptions?: Readonly<Record<string, unknown>>;
}

export interface ToolCallPart {
  readonly type: 'tool-call';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly providerOptions?: Readonly<Record<string, unknown>>;
}

/** What a tool answered, in the AI SDK's `ToolResultOutput` shapes. */
export type ToolOutput =
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'json'; readonly value: unknown }
  | { readonly type: 'error-text'; readonly value: string }
  | { readonly type: 'error-json'; readonly value: unknown };

export interface ToolResultPart {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: ToolOutput;
}

export interface UserMessage {
  readonly role: 'user';
  readonly content: string | readonly (TextPart | FilePart)[];
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: readonly (TextPart | ReasoningPart | ToolCallPart)[];
}

export interface ToolMessage {
  readonly role: 'tool';
  readonly content: readonly ToolResultPart[];
}

export type Message = UserMessage | AssistantMessage | ToolMessage;
