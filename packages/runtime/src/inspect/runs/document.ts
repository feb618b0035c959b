/** The documents of runs, to look at: what cannot be read is said to be missing, it never hides the run. */
import { compileGraph, type Digest, type Graph, isGraphProblems, validateGraph } from '@ramet/core';
import { type FileStore, readGraph } from '../../store/index.ts';

/** The name a document gives itself; null without one, or when it cannot be read. */
export function readGraphName(store: FileStore, hash: Digest): string | null {
  const { name } = (parseDocument(store, hash) ?? {}) as { readonly name?: unknown };
  return typeof name === 'string' ? name : null;
}

/** A run's document, compiled; null when it is gone, damaged, or of a later version. */
export function readRunGraph(store: FileStore, hash: Digest): Graph | null {
  const value = parseDocument(store, hash);
  const document = value === null ? [] : validateGraph(value);
  return isGraphProblems(document) ? null : compileGraph(document, hash);
}

/** Ids of nodes that have a workspace of their own; empty when the document cannot be read. */
export function readOwnWorkspaces(store: FileStore, hash: Digest): ReadonlySet<string> {
  const nodes = readRunGraph(store, hash)?.nodes ?? new Map<string, never>();
  const own = [...nodes.values()].filter(({ node }) => 'workspace' in node && node.workspace === 'own');
  return new Set(own.map(({ id }) => id));
}

function parseDocument(store: FileStore, hash: Digest): unknown {
  try {
    return JSON.parse(Buffer.from(readGraph(store.layout.home, hash)).toString('utf8')) as unknown;
  } catch {
    // Whoever goes on with the run is told why; who looks sees what the log alone says.
    return null;
  }
}
