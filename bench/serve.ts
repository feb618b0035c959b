/** `ramet serve` as a process of its own, on the state folder of a benchmark. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../packages/cli/bin/ramet.mjs', import.meta.url));

export interface Served {
  readonly child: ChildProcess;
  /** Of the browser interface, with its token. */
  readonly url: string;
  /** Path of its unix socket. */
  readonly socket: string;
}

/** Starts it in a folder and waits until it listens. */
export async function startServing(cwd: string, home: string): Promise<Served> {
  const env = { ...process.env, RAMET_HOME: home };
  const args = [BIN, 'serve', '--port', '0', '--json'];
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] });
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the daemon ended with ${code}`)));
  });
  return { child, ...(JSON.parse(line) as Omit<Served, 'child'>) };
}

/** Tells it to end, and waits until it did. */
export async function stopServing({ child }: Served): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
