import { makeProcessContext } from './process-context.ts';
import { runProgram } from './program.ts';

/** Runs a command line in this process, and ends it. */
export async function start(argv: readonly string[]): Promise<void> {
  const { context, finish } = makeProcessContext();
  await runProgram(argv, context);
  await finish();
}
