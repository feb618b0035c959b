/**
 * Makes the k-th file-system call of some work go wrong: it fails once, the disk is full from there on, or the process is
 * as good as dead from there on.
 *
 * 1. It patches the functions of `node:fs` for the time of the work, in this process; nothing else may use them meanwhile.
 * 2. A death is played: every call from the k-th on throws and does nothing, and at the end every descriptor that was
 *    opened is closed, which frees its locks. A write that goes wrong has done half of its work; so has a removal that dies.
 * 3. It does not play the loss of what was not synced: that takes a disk that forgets.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

export type FaultKind = 'error' | 'full' | 'death';

export interface Fault {
  /** Which call, from 0. */
  readonly at: number;
  readonly kind: FaultKind;
}

/** What became of some work. */
export interface Outcome<T> {
  /** Names of the calls it made, those after a fault included. */
  readonly calls: readonly string[];
  readonly result?: T;
  readonly error?: unknown;
}

/** Calls that need space on the disk. */
const WRITING = ['openSync', 'writeSync', 'mkdirSync', 'linkSync', 'copyFileSync', 'renameSync'] as const;
const SYNCING = ['fsyncSync', 'fdatasyncSync'] as const;
const LATER = ['fsync', 'fdatasync'] as const;
const OTHERS = [
  'readSync',
  'readFileSync',
  'readdirSync',
  'ftruncateSync',
  'fchmodSync',
  'chmodSync',
  'rmSync',
  'rmdirSync',
  'closeSync',
] as const;
/** A failure of these is not played as an error: they take nothing, or nobody can do anything about it. */
const UNFAILING: ReadonlySet<string> = new Set(['closeSync', 'rmSync', 'rmdirSync']);

type Call = (...parameters: unknown[]) => unknown;
type Patchable = Record<string, Call>;

/** Does some work with a fault in it, or with none to count its calls. */
export async function runWithFault<T>(fault: Fault | null, work: () => Promise<T>): Promise<Outcome<T>> {
  const originals = new Map<string, Call>();
  const target = fs as unknown as Patchable;
  const calls: string[] = [];
  const opened = new Set<number>();
  const judge = judgeCalls(fault, calls);
  for (const name of [...WRITING, ...SYNCING, ...OTHERS]) {
    const original = target[name] as Call;
    originals.set(name, original);
    target[name] = (...parameters) => {
      const failure = judge(name, parameters);
      if (failure === null) return track(opened, { name, parameters, result: original(...parameters) });
      if (calls.length - 1 === fault?.at) doHalf({ name, parameters, original, dead: failure.code === DEAD });
      throw failure;
    };
  }
  for (const name of LATER) {
    const original = target[name] as Call;
    originals.set(name, original);
    target[name] = (...parameters) => {
      const failure = judge(name, parameters);
      if (failure === null) return original(...parameters);
      const done = parameters.at(-1) as (error: Error) => void;
      return setImmediate(() => done(failure));
    };
  }
  syncBuiltinESMExports();
  try {
    return { calls, result: await work() };
  } catch (error) {
    return { calls, error };
  } finally {
    // What the work put off still runs into the fault.
    await new Promise((resolve) => setImmediate(resolve));
    for (const [name, original] of originals) target[name] = original;
    syncBuiltinESMExports();
    if (fault?.kind === 'death') for (const fd of opened) closeQuietly(fd);
  }
}

const DEAD = 'EDEAD';

type SystemError = Error & { code: string };

function judgeCalls(
  fault: Fault | null,
  calls: string[],
): (name: string, parameters: readonly unknown[]) => SystemError | null {
  return (name, parameters) => {
    const number = calls.push(name) - 1;
    if (fault === null || number < fault.at) return null;
    if (fault.kind === 'death') return makeError(DEAD, name);
    if (fault.kind === 'full') return takesSpace(name, parameters) ? makeError('ENOSPC', name) : null;
    if (number > fault.at || UNFAILING.has(name)) return null;
    return makeError(takesSpace(name, parameters) ? 'ENOSPC' : 'EIO', name);
  };
}

function takesSpace(name: string, parameters: readonly unknown[]): boolean {
  if (name === 'openSync') return typeof parameters[1] === 'number' && (parameters[1] & fs.constants.O_CREAT) !== 0;
  return (WRITING as readonly string[]).includes(name);
}

function track(
  opened: Set<number>,
  call: { readonly name: string; readonly parameters: readonly unknown[]; readonly result: unknown },
): unknown {
  const { name, parameters, result } = call;
  if (name === 'openSync') opened.add(result as number);
  if (name === 'closeSync') opened.delete(parameters[0] as number);
  return result;
}

/** A full disk takes the beginning of a write, and a kill waits neither for the end of one nor for that of a removal. */
function doHalf(call: {
  readonly name: string;
  readonly parameters: readonly unknown[];
  readonly original: Call;
  readonly dead: boolean;
}): void {
  const { name, parameters, original, dead } = call;
  if (name === 'writeSync') {
    const [fd, bytes, offset = 0, length = (bytes as Uint8Array).length, position = null] = parameters;
    original(fd, bytes, offset, Math.floor(Number(length) / 2), position);
  }
  const [path] = parameters;
  if (!dead || name !== 'rmSync' || typeof path !== 'string') return;
  if (!fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const names = fs.globSync('**', { cwd: path }).filter((entry) => !fs.lstatSync(join(path, entry)).isDirectory());
  for (const entry of names.slice(0, Math.ceil(names.length / 2))) original(join(path, entry), { force: true });
}

function makeError(code: string, name: string): SystemError {
  return Object.assign(new Error(`${code}: ${name} was made to fail`), { code });
}

function closeQuietly(fd: number): void {
  try {
    fs.closeSync(fd);
  } catch {
    // The work closed it in a way that was not seen.
  }
}
