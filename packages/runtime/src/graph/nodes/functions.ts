import { answerError } from '../../tools/definition.ts';
import type { Tool } from '../../tools/index.ts';

/** A function that a library user registered, as a tool: what it throws is its answer, and ends its node, not the run. */
export function makeFunctionTool(tool: Tool): Tool {
  return {
    ...tool,
    run: async (input, context) => {
      try {
        return await tool.run(input, context);
      } catch (error) {
        const answer = answerError(error instanceof Error ? error.message : String(error));
        return context.signal.aborted ? { ...answer, aborted: true } : answer;
      }
    },
  };
}
