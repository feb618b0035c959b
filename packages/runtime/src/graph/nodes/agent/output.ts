/** What an agent puts out: its last text, or, with a schema, the JSON value in it. */
import { type ContextEvent, type Decode, type JsonSchema, toolCallsOf } from '@ramet/core';
import { checkAgainst } from '../../documents/json-schema.ts';
import { findValueProblem } from '../../documents/value-problem.ts';

export type AgentOutput =
  | { readonly kind: 'ok'; readonly value: unknown }
  | { readonly kind: 'invalid'; readonly problem: string };

/** The text of the last reply of a conversation. */
export function lastTextOf(context: readonly ContextEvent[], decode: Decode): string {
  const reply = context.findLast((event) => event.type === 'model.response');
  if (reply?.message === undefined || toolCallsOf(reply.message).length > 0) return '';
  const parts = reply.message.content.map((part) => decode(part) as typeof part);
  return parts.flatMap((part) => (part.type === 'text' && typeof part.text === 'string' ? [part.text] : [])).join('');
}

/** Reads the output from a text. */
export async function readOutput(text: string, schema: JsonSchema | undefined): Promise<AgentOutput> {
  if (schema === undefined) return { kind: 'ok', value: text };
  const parsed = parseJson(text);
  if (parsed === null) return { kind: 'invalid', problem: 'it is not JSON' };
  const problem = findValueProblem(parsed.value) ?? (await checkAgainst(schema, parsed.value));
  return problem === null ? { kind: 'ok', value: parsed.value } : { kind: 'invalid', problem };
}

function parseJson(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(unfence(text.trim())) as unknown };
  } catch {
    return null;
  }
}

const FENCE = '```';

/** Models like to put JSON into a block of code. */
function unfence(text: string): string {
  const start = text.indexOf('\n');
  return text.startsWith(FENCE) && text.endsWith(FENCE) && start > 0 ? text.slice(start, -FENCE.length) : text;
}
