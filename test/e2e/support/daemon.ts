/** `ramet serve` as a process of a stage, and requests to it over its unix socket. */
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Running } from './command.ts';
import type { CallOptions, Stage } from './stage.ts';

/** What `ramet serve --json` answers. */
export interface Listening {
  readonly url: string;
  readonly address: string;
  readonly socket: string;
  readonly pid: number;
}

export interface Served {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export class ServedDaemon {
  readonly running: Running;
  readonly listening: Listening;

  constructor(running: Running, listening: Listening) {
    this.running = running;
    this.listening = listening;
  }

  /** Sends a request; a body makes it a POST. */
  ask(path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST'): Promise<Served> {
    return new Promise((resolve, reject) => {
      const { socket: socketPath } = this.listening;
      const headers = body === undefined ? {} : { 'content-type': 'application/json' };
      const sent = request({ socketPath, path, method, headers }, async (answer) => {
        const chunks: Buffer[] = [];
        for await (const chunk of answer) chunks.push(chunk as Buffer);
        resolve({ status: answer.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) });
      });
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** The questions a session or run asks now. */
  async asksOf(id: string, kind: 'sessions' | 'runs' = 'sessions'): Promise<readonly { readonly callId: string }[]> {
    const { body } = await this.ask(`/v1/${kind}/${id}`);
    return (body.live as { readonly asks: readonly { readonly callId: string }[] }).asks;
  }

  /** Tells it to end, and answers its exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.running.child.kill(signal);
    return (await this.running.ended).code;
  }
}

/** Starts a daemon, on any free port without `port`, and waits until it listens; it is killed when its test has ended. */
export async function startDaemon(
  stage: Stage,
  ctx: { onTestFinished(done: () => unknown): void },
  options: CallOptions & { readonly port?: number } = {},
): Promise<ServedDaemon> {
  const { args = [], port = 0 } = options;
  const running = stage.start(['serve', '--port', String(port), '--json', ...args], options);
  ctx.onTestFinished(async () => {
    running.child.kill('SIGKILL');
    await running.ended;
  });
  return waitForDaemon(running);
}

/** Waits until a `ramet serve --json` that was started listens. */
export async function waitForDaemon(running: Running): Promise<ServedDaemon> {
  const line = await new Promise<string>((resolve, reject) => {
    let text = '';
    running.child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      if (text.includes('\n')) resolve(text);
    });
    running.ended.then(({ code, stderr }) => reject(new Error(`serve ended with ${code}: ${stderr}`)), reject);
  });
  return new ServedDaemon(running, JSON.parse(line) as Listening);
}

/** Waits until something that other processes bring about is so. */
export async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await what())) await sleep(20);
}

/** Where the daemon of a stage keeps its own files. */
export function daemonFolderOf(stage: Stage): string {
  return join(stage.home, 'daemon');
}
