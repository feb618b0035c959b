/** Runs what a document or a value of somebody else's could keep at work for ever, for a bounded time only. */
import { createContext, Script } from 'node:vm';

const SCRIPT = new Script('work()');

/** Whether `work` came to its end in time. It must be synchronous, and may be stopped anywhere: what is half done counts. */
export function runBounded(work: () => void, limitMs: number): boolean {
  // Only the watch over the time is of use here: what runs is this process's own code.
  const context = createContext({ work: () => void work() });
  try {
    SCRIPT.runInContext(context, { timeout: limitMs });
    return true;
  } catch (error) {
    // It comes from the other realm, whose Error is not ours.
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
    throw error;
  }
}
