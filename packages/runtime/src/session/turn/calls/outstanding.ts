import { canonicalJson, type OutstandingWrite, type SessionState } from '@ramet/core';

/** Writes after the fork point that concern a call. */
export interface OutstandingMatch {
  /** The same tool with the same input (shell: the same command, exactly). */
  readonly exact: OutstandingWrite | null;
  /** Every outstanding write of the same tool, `exact` among them. */
  readonly sameTool: readonly OutstandingWrite[];
}

/** Holds a call against what the fork left outstanding. A reworded command is not recognised. */
export function matchOutstanding(
  state: Pick<SessionState, 'outstanding'>,
  call: { readonly tool: string; readonly input: unknown },
): OutstandingMatch {
  const sameTool = state.outstanding.filter((write) => write.tool === call.tool);
  const wanted = comparable(call.tool, call.input);
  return { exact: sameTool.find((write) => comparable(write.tool, write.input) === wanted) ?? null, sameTool };
}

function comparable(tool: string, input: unknown): string {
  const command = (input as { readonly command?: unknown } | null)?.command;
  return tool === 'shell' && typeof command === 'string' ? command : canonicalJson(input);
}
