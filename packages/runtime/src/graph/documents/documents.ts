/** The document of a run, as its walk needs it: kept and read by its hash alone. */
import {
  canonicalJson,
  compileGraph,
  type Digest,
  Failure,
  type Graph,
  isGraphProblems,
  validateGraph,
} from '@ramet/core';
import { type FileStore, keepGraph, readGraph } from '../../store/index.ts';

/** Keeps a document durably under its hash. */
export function keepDocument({ layout }: FileStore, { document, hash }: Pick<Graph, 'document' | 'hash'>): void {
  keepGraph(layout.home, hash, Buffer.from(canonicalJson(document)));
}

/** The document of a run, compiled; throws `log_damaged` when it is gone, or is none that this version reads. */
export function readDocument({ layout }: FileStore, hash: Digest): Graph {
  const document = validateGraph(JSON.parse(Buffer.from(readGraph(layout.home, hash)).toString('utf8')));
  if (isGraphProblems(document)) {
    throw new Failure('log_damaged', `the document ${hash} is none of this version: ${document[0]?.message ?? ''}`);
  }
  return compileGraph(document, hash);
}
