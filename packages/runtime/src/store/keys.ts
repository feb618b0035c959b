/**
 * Idempotency keys: one small file each, which appears whole or not at all, bound before the child's rename.
 *
 * 1. A key is named by a digest; the key itself and its request are in no file name.
 * 2. What is being written lies in the child's own folder: a crash leaves nothing among the keys.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson, type Digest, invariant, parseDigest, parseRunId, type RunId } from '@ramet/core';
import {
  codeOf,
  diskFailure,
  linkNew,
  listNames,
  makeDurableFolder,
  onDisk,
  syncFolderNow,
  TEMPORARY,
  writeNewFile,
} from './durable.ts';
import type { StateLayout } from './layout.ts';
import { sha256 } from './sha256.ts';
import type { KeyRecord } from './types.ts';

/** The hash the file of a fork's key is named by. */
export function forkKeyOf(source: RunId, key: string): Digest {
  return sha256(canonicalJson(['fork', source, key]));
}

/** The hash the file of a new run's key is named by. */
export function startKeyOf(kind: 'session' | 'graph', key: string): Digest {
  return sha256(canonicalJson([kind, null, key]));
}

/** Reads what a key stands for; null when nothing. */
export function readKeyRecord(layout: StateLayout, hash: string): KeyRecord | null {
  try {
    const { child, request, removed } = JSON.parse(readFileSync(keyPath(layout, hash), 'utf8'));
    const id = parseRunId(child);
    if (id === null) throw new Error('it names no run');
    return { child: id, request: String(request), ...(removed === true ? { removed } : {}) };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw diskFailure(`cannot read the idempotency key ${hash}`, error);
  }
}

/** Binds a key; false when another process was first. */
export function claimKeyRecord(layout: StateLayout, hash: string, record: KeyRecord): boolean {
  makeDurableFolder(layout.keys);
  const temporary = temporaryIn(layout, join(layout.staging, record.child));
  return onDisk(`cannot record the idempotency key ${hash}`, () => {
    try {
      writeNewFile(temporary, toBytes(record), { sync: true });
      const bound = linkNew(temporary, keyPath(layout, hash));
      if (bound) syncFolderNow(layout.keys);
      return bound;
    } finally {
      rmSync(temporary, { force: true });
    }
  });
}

/** Says of a key that its child was removed. */
export function retireKeyRecord(layout: StateLayout, hash: string): void {
  const record = readKeyRecord(layout, hash);
  if (record === null || record.removed === true) return;
  const temporary = temporaryIn(layout, join(layout.runs, record.child));
  onDisk(`cannot retire the idempotency key ${hash}`, () => {
    try {
      writeNewFile(temporary, toBytes({ ...record, removed: true }), { sync: true });
      renameSync(temporary, keyPath(layout, hash));
      syncFolderNow(layout.keys);
    } finally {
      rmSync(temporary, { force: true });
    }
  });
}

/** The keys bound to a child; for one whose log cannot say which it was. */
export function findKeysOf(layout: StateLayout, child: RunId): readonly string[] {
  return listNames(layout.keys).filter((name) => {
    return parseDigest(name) !== null && readKeyRecord(layout, name)?.child === child;
  });
}

/** In the folder of the child, which goes away with it. */
function temporaryIn(layout: StateLayout, folder: string): string {
  return join(existsSync(folder) ? folder : layout.keys, `.${randomUUID()}${TEMPORARY}`);
}

function keyPath(layout: StateLayout, hash: string): string {
  invariant(parseDigest(hash) !== null, `an idempotency key is named by a digest, not by ${hash}`);
  return join(layout.keys, hash);
}

function toBytes(record: KeyRecord): Uint8Array {
  return Buffer.from(`${JSON.stringify(record)}\n`);
}
