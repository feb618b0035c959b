/** Graph documents as a person has them: in a file. */
import { isRefusal, type Refusal, refuse } from '@ramet/core/codes';
import type { GraphDocument, GraphProblem } from '@ramet/core/graph';
import { refuseDocument } from '@ramet/runtime/graph';
import type { CliContext } from '../context.ts';
import { readText } from './json-input.ts';

/** A file's document, or all that is wrong with it. */
export type ReadGraph =
  | { readonly kind: 'document'; readonly document: GraphDocument }
  | { readonly kind: 'problems'; readonly problems: readonly GraphProblem[] };

/** Reads and checks a document; refuses a file that cannot be read. */
export async function readGraphFile(context: CliContext, file: string): Promise<ReadGraph | Refusal> {
  const read = readText(context, file);
  if (isRefusal(read)) return read;
  const parsed = parseDocument(read.text);
  if ('problem' in parsed) return { kind: 'problems', problems: [{ at: '', message: parsed.problem }] };
  const refusal = await refuseDocument(parsed.value, []);
  if (refusal === null) return { kind: 'document', document: parsed.value as GraphDocument };
  return { kind: 'problems', problems: refusal.data.problems as readonly GraphProblem[] };
}

/** The document of a file; refuses with `bad_graph` one that cannot be run. */
export async function requireGraphFile(context: CliContext, file: string): Promise<GraphDocument | Refusal> {
  const read = await readGraphFile(context, file);
  if (isRefusal(read)) return read;
  return read.kind === 'document' ? read.document : refuseProblems(file, read.problems);
}

/** Says of a file that its document cannot be run. */
export function refuseProblems(file: string, problems: readonly GraphProblem[]): Refusal {
  const [first] = problems;
  const more = problems.length > 1 ? ` (${problems.length} problems in all: \`ramet graph validate\` lists them)` : '';
  return refuse('bad_graph', `${file}: ${first?.at || '/'}: ${first?.message ?? ''}${more}`, { problems });
}

function parseDocument(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { problem: `is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}
