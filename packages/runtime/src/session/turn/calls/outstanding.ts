import { canonicalJson, type OutstandingWrite, type SessionState } from '@ramet/core';

/** Writes after the fork point that concern a call. */
export interface OutstandingMatch {
  /** The same tool with the same input (shell: the same command, exactly). */
  readonly exact: OutstandingWrite | null;
  /** Every outstanding write of the same tool, `exact` among them. */
  readonly sameTool: readonly OutstandingWrite[];
}

export interface ComparedCall {
  readonly tool: string;
  readonly input: unknown;
  /** Fields of the input that are passed over. */
  readonly volatile?: readonly string[];
}

/** Holds a call against what the fork left outstanding. A reworded command is not recognised. */
export function matchOutstanding(state: Pick<SessionState, 'outstanding'>, call: ComparedCall): OutstandingMatch {
  const { tool, input, volatile = [] } = call;
  const sameTool = state.outstanding.filter((write) => write.tool === tool);
  const isSame = (write: OutstandingWrite) => isSameInput({ tool, input, volatile }, write.input);
  return { exact: sameTool.find(isSame) ?? null, sameTool };
}

/** Whether two inputs of a tool are those of one call. */
export function isSameInput({ tool, input, volatile = [] }: ComparedCall, other: unknown): boolean {
  return comparable({ tool, input: other, volatile }) === comparable({ tool, input, volatile });
}

function comparable({ tool, input, volatile }: Required<ComparedCall>): string {
  const command = (input as { readonly command?: unknown } | null)?.command;
  if (tool === 'shell' && typeof command === 'string') return command;
  if (volatile.length === 0 || typeof input !== 'object' || input === null) return canonicalJson(input);
  return canonicalJson(Object.fromEntries(Object.entries(input).filter(([name]) => !volatile.includes(name))));
}
