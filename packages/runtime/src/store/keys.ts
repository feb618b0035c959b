/** Idempotency keys: one small file each, which appears whole or not at all, bound before the child's rename. */

import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseRunId } from '@ramet/core';
import { codeOf, createFile, diskFailure, makeFolder, replaceFile, writeAll } from './durable.ts';
import type { StateLayout } from './layout.ts';
import type { KeyRecord } from './types.ts';

/** Reads what a key stands for; null when nothing. */
export function readKeyRecord(layout: StateLayout, hash: string): KeyRecord | null {
  let text: string;
  try {
    text = readFileSync(join(layout.keys, hash), 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw diskFailure(`cannot read the idempotency key ${hash}`, error);
  }
  const { child, request, removed } = JSON.parse(text) as Record<string, unknown>;
  const id = parseRunId(child);
  if (id === null) throw diskFailure(`the idempotency key ${hash} names no run`, null);
  return { child: id, request: String(request), ...(removed === true ? { removed } : {}) };
}

/** Binds a key; false when another process was first. */
export function claimKeyRecord(layout: StateLayout, hash: string, record: KeyRecord): boolean {
  makeFolder(layout.keys);
  const temporary = join(layout.keys, `.${hash}.${randomUUID()}`);
  const fd = createFile(temporary);
  try {
    writeAll(fd, Buffer.from(`${JSON.stringify(record)}\n`));
    fsyncSync(fd);
    linkSync(temporary, join(layout.keys, hash));
    syncKeys(layout);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw diskFailure(`cannot record the idempotency key ${hash}`, error);
  } finally {
    closeSync(fd);
    rmSync(temporary, { force: true });
  }
}

/** Says of a key that its child was removed. */
export function retireKeyRecord(layout: StateLayout, hash: string): void {
  const record = readKeyRecord(layout, hash);
  if (record === null) return;
  const bytes = Buffer.from(`${JSON.stringify({ ...record, removed: true })}\n`);
  replaceFile(join(layout.keys, hash), bytes, { sync: true });
}

function syncKeys(layout: StateLayout): void {
  const fd = openSync(layout.keys, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
