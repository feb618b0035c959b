/**
 * What a person changes for a fork: the input of its node, outputs of nodes that finished before, the document.
 *
 * 1. Only what was asked to be changed is sent; a text that is no JSON is sent never.
 */
import type { RunForkRequest } from '@ramet/client';

export interface ChangeDraft {
  /** JSON as text; null: it stays as it was. */
  readonly input: string | null;
  readonly graph: string | null;
  /** By the path of the node. */
  readonly outputs: ReadonlyMap<string, string>;
}

export const NO_CHANGES: ChangeDraft = { input: null, graph: null, outputs: new Map() };

export type Changes = Pick<RunForkRequest, 'input' | 'outputs' | 'graph'>;

/** The changes, or what is no JSON: by `input`, `graph`, or `output <node>`. */
export type ReadChanges =
  | { readonly isOk: true; readonly changes: Changes }
  | { readonly isOk: false; readonly problems: ReadonlyMap<string, string> };

/** Reads what was typed. */
export function readChanges({ input, graph, outputs }: ChangeDraft): ReadChanges {
  const problems = new Map<string, string>();
  const parse = (name: string, text: string): unknown => {
    try {
      return JSON.parse(text) as unknown;
    } catch (error) {
      problems.set(name, `no JSON: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  };
  const changed = [...outputs].map(([node, text]) => [node, parse(`output ${node}`, text)] as const);
  const changes: Changes = {
    ...(input === null ? {} : { input: parse('input', input) }),
    ...(graph === null ? {} : { graph: parse('graph', graph) as Readonly<Record<string, unknown>> }),
    ...(changed.length === 0 ? {} : { outputs: Object.fromEntries(changed) }),
  };
  return problems.size > 0 ? { isOk: false, problems } : { isOk: true, changes };
}
