/** Runs command lines in this process, against stores written by hand: fixed ids, times and clock. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunId } from '@ramet/core';
import { type BuiltFork, buildFork, buildSession, encodeLog, type SessionPlan, writeLogFolder } from '@ramet/testkit';
import type { CliContext, Output } from '../src/context.ts';
import { runProgram } from '../src/program.ts';

export interface CommandOutcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}

type Lines = ReturnType<typeof encodeLog>;

export interface TestStore {
  readonly home: string;
  addSession(plan: SessionPlan): Lines;
  addFork(parent: Lines, fork: BuiltFork): Lines;
  addLines(id: RunId, lines: Lines): void;
  folderOf(id: RunId): string;
  /** Runs a command line on this store. */
  run(argv: readonly string[], options?: RunOptions): Promise<CommandOutcome>;
}

export interface RunOptions {
  readonly columns?: number;
  readonly stdin?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Another clock. */
  readonly now?: () => number;
}

/** When the tests' commands run: later than any hand-written event. */
const NOW = Date.parse('2030-01-03T04:00:00.000Z');

/** Makes an empty store. */
export function makeTestStore(): TestStore {
  const home = mkdtempSync(join(tmpdir(), 'cli-'));
  const folderOf = (id: RunId): string => join(home, 'runs', id);
  const addLines = (id: RunId, lines: Lines): void => {
    writeLogFolder(folderOf(id), lines);
    writeFileSync(join(folderOf(id), 'lock'), '', { mode: 0o600 });
  };
  return {
    home,
    folderOf,
    addLines,
    addSession: (plan) => {
      const lines = encodeLog(buildSession(plan));
      addLines(String(lines[0]?.event.id) as RunId, lines);
      return lines;
    },
    addFork: (parent, fork) => {
      const lines = buildFork(parent, fork);
      addLines(fork.id, lines);
      return lines;
    },
    run: (argv, options = {}) => runCommandLine(home, argv, options),
  };
}

/** Runs a command line on the store of a state folder. */
export async function runCommandLine(
  home: string,
  argv: readonly string[],
  options: RunOptions = {},
): Promise<CommandOutcome> {
  const stdout: string[] = [];
  const stderr: string[] = [];
  let exit = 0;
  let random = 0;
  const nextByte = (): number => {
    random = (random + 1) % 256;
    return random;
  };
  const context: Omit<CliContext, 'process'> = {
    env: { RAMET_HOME: home, PATH: process.env.PATH ?? '', ...options.env },
    cwd: options.cwd ?? home,
    now: options.now ?? (() => NOW),
    elapsed: () => 0,
    randomBytes: (count) => Uint8Array.from({ length: count }, () => nextByte()),
    sleep: async () => {},
    stdin: { isTerminal: false, read: async () => Buffer.from(options.stdin ?? '') },
    stdout: collectInto(stdout, options.columns),
    stderr: collectInto(stderr),
    watchInterruption: () => ({ signal: new AbortController().signal, cause: () => null, interrupt: () => {} }),
    exit: (code) => {
      exit = code;
    },
  };
  await runProgram(argv, context);
  return { stdout: stdout.join(''), stderr: stderr.join(''), exit };
}

function collectInto(pieces: string[], columns?: number): Output {
  const write = (text: string | Uint8Array): void => {
    pieces.push(typeof text === 'string' ? text : Buffer.from(text).toString('utf8'));
  };
  return { write, drain: async () => {}, isTerminal: columns !== undefined, hasColor: false, columns };
}

/** A command line as a person sees it, with both streams and the exit code. */
export function renderOutcome(
  store: TestStore,
  argv: readonly string[],
  { stdout, stderr, exit }: CommandOutcome,
): string {
  const shown = [
    `$ ramet ${argv.join(' ')}`,
    stdout,
    ...(stderr === '' ? [] : ['--- stderr', stderr]),
    `--- exit ${exit}`,
  ];
  return `${shown.map((part) => part.trimEnd()).join('\n')}\n`.replaceAll(store.home, '$RAMET_HOME');
}
