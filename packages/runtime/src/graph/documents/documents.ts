/**
 * The document of a run, as its walk needs it: kept and read by its hash alone.
 *
 * 1. Only a document that was validated is kept, and its hash proves its bytes: what is read is not validated again.
 */
import { canonicalJson, compileGraph, type Digest, type Graph, type GraphDocument } from '@ramet/core';
import { type FileStore, keepGraph, readGraph } from '../../store/index.ts';

/** Keeps a validated document durably under its hash. */
export function keepDocument({ layout }: FileStore, { document, hash }: Pick<Graph, 'document' | 'hash'>): void {
  keepGraph(layout.home, hash, Buffer.from(canonicalJson(document)));
}

/** What was compiled last: a fork and whoever goes on with its child ask for the same. */
let latest: Graph | undefined;

/** The document of a run, compiled; throws `log_damaged` when it is gone or is another one. */
export function readDocument({ layout }: FileStore, hash: Digest): Graph {
  const bytes = readGraph(layout.home, hash);
  if (latest?.hash === hash) return latest;
  latest = compileGraph(JSON.parse(Buffer.from(bytes).toString('utf8')) as GraphDocument, hash);
  return latest;
}
