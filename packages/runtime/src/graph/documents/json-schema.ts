/**
 * JSON Schemas of documents: of a run's input, of gates' answers, of what agents put out. What is soon done is done here
 * and now; what is not begins anew in a thread of its own, so that nobody else waits for it, and stops after a while.
 */
import type { JsonSchema } from '@ramet/core';
import { runBounded } from './bounded.ts';
import { doApart } from './schema-threads.ts';
import { loadSchemaWorker, type SchemaTask } from './schema-work.ts';

/** How long everybody else may be kept waiting for schemas: a hundred small ones are read meanwhile. */
const HERE_MS = 100;
/** Longer than any honest check of a value takes. */
const APART_MS = 10_000;

/** What is wrong with each of these schemas, up to one that has no end; null for one that is a schema. */
export function findSchemaProblems(
  schemas: readonly JsonSchema[],
  limitMs = APART_MS,
): Promise<readonly (string | null)[]> {
  return doTasks(
    schemas.map((schema) => ({ schema })),
    limitMs,
  );
}

/** What is wrong with a value, held against a schema that was found to be one before; null when it fits. */
export async function checkAgainst(schema: JsonSchema, value: unknown, limitMs = APART_MS): Promise<string | null> {
  const [problem = null] = await doTasks([{ schema, held: { value } }], limitMs);
  return problem;
}

async function doTasks(tasks: readonly SchemaTask[], limitMs: number): Promise<readonly (string | null)[]> {
  if (tasks.length === 0) return [];
  const work = await loadSchemaWorker();
  const answers: (string | null)[] = [];
  const done = runBounded(() => {
    for (const task of tasks) answers.push(work(task));
  }, HERE_MS);
  return done ? answers : [...answers, ...(await doApart(tasks.slice(answers.length), limitMs))];
}
