/**
 * Descriptors this process was started with beyond the standard three (a shell's `exec 5<file`, a job server's pipe):
 * they are not close-on-exec, so every child would get them too.
 */
import type { StdioOptions } from 'node:child_process';
import { openSync, readdirSync, readFileSync } from 'node:fs';

/** What a child has as its descriptors, in their order. */
export type Stdio = Exclude<StdioOptions, string>;

/** From `fcntl.h` on Linux, as `/proc/<pid>/fdinfo` shows it (octal). */
const CLOSE_ON_EXEC = 0o2000000;

let covers: ReadonlyMap<number, number> | undefined;

/** The stdio of a child: the given ends, and `/dev/null` in place of each descriptor it would inherit besides. */
export function makeStdio(ends: Stdio): Stdio {
  covers ??= makeCovers(readInherited());
  const stdio = [...ends];
  for (const [descriptor, cover] of covers) {
    if (descriptor < ends.length) continue;
    while (stdio.length < descriptor) stdio.push('ignore');
    stdio[descriptor] = cover;
  }
  return stdio;
}

function makeCovers(inherited: readonly number[]): Map<number, number> {
  if (inherited.length === 0) return new Map();
  const nothing = openSync('/dev/null', 'r+');
  return new Map(inherited.toSorted((one, other) => one - other).map((descriptor) => [descriptor, nothing]));
}

function readInherited(): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && isInheritable(descriptor));
}

function isInheritable(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // The descriptor with which the folder was read.
    return false;
  }
}
