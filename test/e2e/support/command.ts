/**
 * The real command as separate processes, and the one document each answers.
 *
 * 1. A process gets exactly the environment it is given.
 * 2. Nobody sits at its terminal: stdin is empty and no stream is a terminal.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');

/** The command as a checkout has it. */
export const BIN = join(ROOT, 'packages/cli/bin/ramet.mjs');

/** PATH with the Node of these tests first. */
export const NODE_PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? '/usr/bin:/bin'}`;

/** How a process ended and what it wrote. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

export interface Surroundings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Given on stdin; absent: stdin is empty. */
  readonly input?: string;
}

/** Starts a program; `ended` settles when it and whoever inherited its output are gone. */
export function startProgram(program: string, args: readonly string[], { cwd, env, input }: Surroundings): Running {
  const child = spawn(program, args, { cwd, env, stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] });
  child.stdin?.end(input);
  const texts = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  child.stdout?.on('data', (chunk: Buffer) => texts.stdout.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => texts.stderr.push(chunk));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const [stdout, stderr] = [texts.stdout, texts.stderr].map((chunks) => Buffer.concat(chunks).toString('utf8'));
      resolve({ code, signal, stdout: stdout ?? '', stderr: stderr ?? '' });
    });
  });
  return { child, ended };
}

/** Runs a program to its end. */
export function runProgram(program: string, args: readonly string[], surroundings: Surroundings): Promise<Ended> {
  return startProgram(program, args, surroundings).ended;
}

/** Where PATH has a program, or undefined. */
export function findProgram(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** The one JSON document on stdout; throws when there is anything else, or a NaN of a document. */
export function parseAnswer(ended: Ended): Record<string, unknown> {
  const lines = ended.stdout.split('\n');
  if (lines.length !== 2 || lines[1] !== '') {
    throw new Error(`expected one document on stdout, found ${JSON.stringify(ended)}`);
  }
  const value: unknown = JSON.parse(lines[0] ?? '');
  if (typeof value !== 'object' || value === null) throw new Error(`expected an object, found ${lines[0]}`);
  return value as Record<string, unknown>;
}
