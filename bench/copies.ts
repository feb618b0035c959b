/** What a fork is held against: a durable copy of the bytes it shares, and which files of a run are its own. */
import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { RunId } from '@ramet/core';
import type { FileStore } from '@ramet/runtime/store';

/** Durably copies the first bytes of a log, segment by segment, into a new folder; answers milliseconds. */
export function copyLog(log: string, bytes: number, target: string): number {
  const started = performance.now();
  mkdirSync(target);
  let left = bytes;
  for (const name of readdirSync(log)
    .filter((entry) => entry.endsWith('.jsonl'))
    .sort()) {
    if (left <= 0) break;
    left -= copyFile(join(log, name), join(target, name), left);
  }
  const folder = openSync(target, 'r');
  fsyncSync(folder);
  closeSync(folder);
  return performance.now() - started;
}

/** Through one buffer: what it leaves to be collected would be counted to whoever is measured next. */
const BUFFER = Buffer.alloc(1024 * 1024);

function copyFile(from: string, to: string, most: number): number {
  const [source, target] = [openSync(from, 'r'), openSync(to, 'w')];
  let copied = 0;
  for (;;) {
    const count = readSync(source, BUFFER, 0, Math.min(BUFFER.length, most - copied), copied);
    if (count === 0) break;
    writeSync(target, BUFFER, 0, count);
    copied += count;
  }
  fdatasyncSync(target);
  closeSync(target);
  closeSync(source);
  return copied;
}

/** Files and folders of a run that no relative shares. */
export function countOwnFiles(store: FileStore, id: RunId): number {
  const { folder } = store.pathsOf(id);
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => statSync(join(folder, name)));
  return found.filter((stats) => stats.nlink === 1 || stats.isDirectory()).length;
}
