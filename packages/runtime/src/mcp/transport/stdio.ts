/**
 * MCP over the standard input and output of a program, on top of our own process primitives.
 *
 * 1. The program and its process group end with `close`, and when this process dies (see `process/guard.ts`).
 * 2. A line on its output that is no message is passed over; one above the limit ends the program.
 * 3. `send` throws `UnsentError` only where nothing was handed to the program.
 */
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { guardGroup, type RunningProcess, startProcess } from '../../process/index.ts';
import { UnsentError } from './failure.ts';
import type { Launch } from './launch.ts';
import { makeLineReader } from './lines.ts';

/** Longest message of a server. */
export const MESSAGE_LIMIT_BYTES = 16 * 1024 * 1024;
const STDERR_LIMIT_BYTES = 16 * 1024;
const STDERR_TAIL_BYTES = 12 * 1024;
const KILL_GRACE_MS = 2_000;
/** How long a program's last message may take to arrive after it ended. */
const LAST_WORDS_MS = 200;

/** A program that speaks MCP. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #launch: Launch;
  #running: RunningProcess | null = null;
  #stopGuard: (() => void) | null = null;
  #hasExited = false;
  #isClosed = false;
  #closing: Promise<void> | null = null;

  constructor(launch: Launch) {
    this.#launch = launch;
  }

  async start(): Promise<void> {
    const limits = { stderrLimitBytes: STDERR_LIMIT_BYTES, stderrTailBytes: STDERR_TAIL_BYTES };
    const running = await startProcess({ ...this.#launch, ...limits });
    this.#running = running;
    const lines = makeLineReader({
      limitBytes: MESSAGE_LIMIT_BYTES,
      onLine: (line) => this.#take(line),
      onOverflow: () => {
        this.onerror?.(new Error(`a message is longer than ${MESSAGE_LIMIT_BYTES} bytes`));
        running.kill();
      },
    });
    running.stdout.on('data', (chunk: Buffer) => lines.push(chunk));
    running.stdout.on('error', () => undefined);
    void running.exited.then(() => this.#finish(running));
    this.#stopGuard = await guardGroup(running.pid);
    if (this.#hasExited) this.#stopGuard();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#running === null || this.#isClosed) throw new UnsentError('its program has ended');
    const { stdin, exited } = this.#running;
    if (stdin.write(serializeMessage(message))) return;
    await Promise.race([new Promise((resolve) => stdin.once('drain', resolve)), exited]);
  }

  /** Ends the program; the same end however often it is asked for. */
  close(): Promise<void> {
    this.#closing ??= this.#running === null ? Promise.resolve() : this.#running.end(KILL_GRACE_MS);
    return this.#closing;
  }

  /** What the program said last on its standard error. */
  lastWords(): string {
    return this.#running?.stderr().toString('utf8') ?? '';
  }

  #take(line: Buffer): void {
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line.toString('utf8'));
    } catch {
      return;
    }
    this.onmessage?.(message);
  }

  /** After the program ended: what it wrote last still counts, and a pipe that something else holds open does not. */
  async #finish(running: RunningProcess): Promise<void> {
    this.#hasExited = true;
    this.#stopGuard?.();
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => {
      timer = setTimeout(resolve, LAST_WORDS_MS);
    });
    await Promise.race([running.ended, patience]);
    clearTimeout(timer);
    this.#isClosed = true;
    await this.close();
    this.onclose?.();
  }
}
