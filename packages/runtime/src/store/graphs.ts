/**
 * The documents that runs walk: one file each, `graphs/<hash>.json` below the state folder, shared by all runs of it.
 *
 * 1. A file holds the document's canonical JSON, whose SHA-256 is its name: what is read is checked.
 * 2. A document is durable before the run that names it is in place.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Digest, Failure, invariant, parseDigest } from '@ramet/core';
import { codeOf, diskFailure, makeDurableFolder, replaceFile, syncFolderNow } from './durable.ts';
import { layoutOf } from './layout.ts';
import { sha256 } from './sha256.ts';

/** Keeps a document's canonical JSON, durably; one that is there and damaged is put right. */
export function keepGraph(home: string, hash: Digest, bytes: Uint8Array): void {
  invariant(sha256(bytes) === hash, `a document is kept under the SHA-256 of its canonical JSON, not under ${hash}`);
  const { graphs } = layoutOf(home);
  makeDurableFolder(graphs);
  const path = graphPath(graphs, hash);
  // The bytes of a whole one were durable before it had its name; the name itself may not be yet.
  if (readIfThere(path)?.equals(bytes) === true) syncFolderNow(graphs);
  else replaceFile(path, bytes, { sync: true });
}

/** A document's canonical JSON; throws `log_damaged` when it is missing or is another one. */
export function readGraph(home: string, hash: Digest): Uint8Array {
  const path = graphPath(layoutOf(home).graphs, hash);
  const bytes = readIfThere(path);
  if (bytes === null) throw damaged(path, 'is missing', hash);
  if (sha256(bytes) !== hash) throw damaged(path, `holds another document (${sha256(bytes)})`, hash);
  return bytes;
}

function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw diskFailure(`cannot read the document ${path}`, error);
  }
}

function graphPath(folder: string, hash: Digest): string {
  invariant(parseDigest(hash) !== null, `a document is named by a digest, not by ${hash}`);
  return join(folder, `${hash}.json`);
}

function damaged(path: string, what: string, hash: Digest): Failure {
  const advice = 'runs that walk it cannot go on; put the file back from a backup, or start the run again';
  return new Failure('log_damaged', `the document ${path} ${what}; ${advice}`, { data: { graph: hash, path } });
}
