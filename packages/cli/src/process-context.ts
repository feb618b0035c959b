/**
 * This process as a command sees it.
 *
 * 1. A reader of our output that goes away (`| head`) ends the output, not the work, and is no error. An answer that cannot
 *    be written for another reason (a full disk) is one.
 * 2. The process ends when its output is written, whatever a library keeps open.
 */
import { isatty } from 'node:tty';
import { type ExitCode, exitCodeOf } from '@ramet/core/codes';
import type { CliContext, Interruption, Output } from './context.ts';

/** Makes the context of this process, and what ends the process with the exit code the context was told. */
export function makeProcessContext(): { readonly context: Omit<CliContext, 'process'>; finish(): Promise<void> } {
  let exitCode: ExitCode = 0;
  const stdout = outputOf(process.stdout);
  const context: Omit<CliContext, 'process'> = {
    env: process.env,
    cwd: currentFolder(),
    now: () => Date.now(),
    elapsed: () => performance.now(),
    randomBytes: (count) => process.getBuiltinModule('node:crypto').randomBytes(count),
    sleep: async (ms, signal) => {
      const { setTimeout: sleep } = await import('node:timers/promises');
      await sleep(ms, undefined, { signal });
    },
    // Asking the descriptor, because making the stream takes milliseconds that most commands do not need.
    stdin: { isTerminal: isatty(0), read: readStdin },
    stdout: stdout.output,
    stderr: outputOf(process.stderr).output,
    watchInterruption,
    exit: (code) => {
      exitCode = code;
    },
  };
  const finish = async (): Promise<void> => {
    await flush(process.stdout);
    const problem = stdout.problem();
    if (problem !== null && exitCode === 0) {
      exitCode = exitCodeOf('disk_failed');
      process.stderr.write(`ramet: the answer could not be written: ${problem} (disk_failed)\n`);
    }
    await flush(process.stderr);
    process.exit(exitCode);
  };
  return { context, finish };
}

/** A folder that was removed under us has no name. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '/';
  }
}

/** Of a terminal that says it has none, as one whose size nobody set does. */
const UNKNOWN_COLUMNS = 80;

/** `problem` is why the output was cut short, unless its reader went away. */
function outputOf(stream: NodeJS.WriteStream): { readonly output: Output; problem(): string | null } {
  let isOpen = true;
  let problem: string | null = null;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    isOpen = false;
    if (error.code !== 'EPIPE') problem ??= error.code ?? error.message;
  });
  const { NO_COLOR, TERM } = process.env;
  const isTerminal = stream.isTTY === true;
  const output: Output = {
    write: (text) => {
      if (isOpen) stream.write(text);
    },
    drain: () => (isOpen && stream.writableNeedDrain ? waitForDrain(stream) : Promise.resolve()),
    isTerminal,
    hasColor: isTerminal && !NO_COLOR && TERM !== 'dumb',
    get columns() {
      return isTerminal ? stream.columns || UNKNOWN_COLUMNS : undefined;
    },
  };
  return { output, problem: () => problem };
}

/** A reader that goes away ends the waiting, too. */
function waitForDrain(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['drain', 'close', 'error']) stream.once(event, () => resolve());
  });
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  // What broke it is told a moment later.
  if (stream.destroyed || !stream.writable) return new Promise((resolve) => setImmediate(resolve));
  return new Promise((resolve) => {
    stream.once('close', resolve);
    stream.write('', () => resolve());
  });
}

async function readStdin(): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function watchInterruption(): Interruption {
  const controller = new AbortController();
  let cause: NodeJS.Signals | null = null;
  const interrupt = (signal?: NodeJS.Signals): void => {
    cause = signal ?? null;
    controller.abort();
    // The next one does what it does without us.
    for (const signal of SIGNALS) process.off(signal, interrupt);
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  return { signal: controller.signal, cause: () => cause, interrupt: () => interrupt() };
}
