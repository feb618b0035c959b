/** Runs what a document or a value of somebody else's could keep at work for ever, for a bounded time only. */
import { createContext, Script } from 'node:vm';

/** Longer than any honest check of a value takes. */
const LIMIT_MS = 10_000;

const SCRIPT = new Script('work()');

/** Why there is no answer: the time was up, or the stack was. */
export class Unbounded extends Error {}

/** What `work` answers. It must be synchronous, and may be stopped anywhere: it changes nothing that is kept. */
export function runBounded<T>(work: () => T, limitMs = LIMIT_MS): T {
  let answer: { readonly value: T } | undefined;
  const context = createContext({
    work: () => {
      answer = { value: work() };
    },
  });
  try {
    // Only the watch over the time is of use here: what runs is this process's own code.
    SCRIPT.runInContext(context, { timeout: limitMs });
  } catch (error) {
    throw explain(error, limitMs);
  }
  if (answer === undefined) throw new Unbounded('it has no answer');
  return answer.value;
}

function explain(error: unknown, limitMs: number): unknown {
  if (error instanceof RangeError) return new Unbounded('it goes round without an end');
  // It comes from the other realm, whose Error is not ours.
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  return code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
    ? new Unbounded(`it takes more than ${limitMs / 1000} seconds`)
    : error;
}
