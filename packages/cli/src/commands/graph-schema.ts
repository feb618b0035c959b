import { GRAPH_SCHEMA } from '@ramet/core/graph';
import type { SchemaFlags } from '../flags.ts';
import type { Action } from '../output/answer.ts';

/** Prints the JSON Schema of graph documents: the same with and without `--json`. */
export const graphSchema: Action<SchemaFlags, []> = async () => ({
  json: GRAPH_SCHEMA,
  text: `${JSON.stringify(GRAPH_SCHEMA, null, 2)}\n`,
});
