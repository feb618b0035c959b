/**
 * This process as a command sees it.
 *
 * 1. A reader of our output that goes away (`| head`) ends the output, not the work, and is no error.
 * 2. The process ends when its output is written, whatever a library keeps open.
 */
import { isatty } from 'node:tty';
import type { ExitCode } from '@ramet/core/codes';
import type { CliContext, Interruption, Output } from './context.ts';

/** Makes the context of this process, and what ends the process with the exit code the context was told. */
export function makeProcessContext(): { readonly context: Omit<CliContext, 'process'>; finish(): Promise<void> } {
  let exitCode: ExitCode = 0;
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
    stdout: outputOf(process.stdout),
    stderr: outputOf(process.stderr),
    watchInterruption,
    exit: (code) => {
      exitCode = code;
    },
  };
  const finish = async (): Promise<void> => {
    await Promise.all([flush(process.stdout), flush(process.stderr)]);
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

function outputOf(stream: NodeJS.WriteStream): Output {
  let isOpen = true;
  stream.on('error', () => {
    isOpen = false;
  });
  const { NO_COLOR, TERM } = process.env;
  const isTerminal = stream.isTTY === true;
  return {
    write: (text) => {
      if (isOpen) stream.write(text);
    },
    drain: () => (isOpen && stream.writableNeedDrain ? waitForDrain(stream) : Promise.resolve()),
    isTerminal,
    hasColor: isTerminal && !NO_COLOR && TERM !== 'dumb',
    get columns() {
      return isTerminal ? stream.columns : undefined;
    },
  };
}

/** A reader that goes away ends the waiting, too. */
function waitForDrain(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['drain', 'close', 'error']) stream.once(event, () => resolve());
  });
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.destroyed || !stream.writable) return Promise.resolve();
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
  const interrupt = (): void => {
    controller.abort();
    // The next one does what it does without us.
    for (const signal of SIGNALS) process.off(signal, interrupt);
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  return { signal: controller.signal, interrupt };
}
