/**
 * Payloads as files, named by the SHA-256 of their bytes (docs/log-format.md, L11).
 *
 * 1. A name is built from a digest only: what a log says is a payload's name is no path.
 * 2. One that is there may be half of what a crash cut off: it is kept only when its bytes are right.
 */
import { closeSync, constants, lstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EncodedLine, parseDigest } from '@ramet/core';
import {
  codeOf,
  diskFailure,
  linkOrCopy,
  makeFolder,
  replaceFile,
  SEALED_MODE,
  syncFile,
  syncFolder,
} from './durable.ts';
import { openSegment } from './segment-reader.ts';
import { sha256 } from './sha256.ts';

/** A payload's bytes, or null when it is missing. */
export function readPayloadFile(blobs: string, digest: string): Uint8Array | null {
  if (parseDigest(digest) === null) return null;
  try {
    const fd = openSync(join(blobs, digest), constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      return readFileSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'ENOTDIR', 'EISDIR'].includes(codeOf(error))) return null;
    throw diskFailure(`cannot read the payload ${digest}`, error);
  }
}

/** Writes the payloads of lines; returns the paths that must be synced before the lines are written. */
export function writePayloads(blobs: string, lines: readonly EncodedLine[]): readonly string[] {
  const paths = new Set<string>();
  for (const { payloads } of lines) {
    for (const { digest, bytes } of payloads) {
      const path = join(blobs, digest);
      if (paths.has(path)) continue;
      makeFolder(blobs);
      const present = readPayloadFile(blobs, digest);
      if (present === null || sha256(present) !== digest) replaceFile(path, bytes, { mode: SEALED_MODE, sync: false });
      paths.add(path);
    }
  }
  return [...paths];
}

/** Makes payloads durable, and the folder that names them. */
export async function syncPayloads(blobs: string, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  for (const path of paths) {
    const fd = openSegment(path);
    try {
      await syncFile(fd);
    } finally {
      closeSync(fd);
    }
  }
  await syncFolder(blobs);
}

/** Links or copies a payload; `missing` when it is not there or not as long as the log says. */
export function adoptPayload(
  from: string,
  to: string,
  payload: { readonly digest: string; readonly bytes: number },
): 'linked' | 'copied' | 'missing' {
  if (parseDigest(payload.digest) === null) return 'missing';
  const source = join(from, payload.digest);
  const stat = lstatSync(source, { throwIfNoEntry: false });
  if (!stat?.isFile() || stat.size !== payload.bytes) return 'missing';
  return linkOrCopy(source, join(to, payload.digest));
}
