/**
 * Real pipes for a child's output. Node gives a child sockets, and a socket cannot be opened again by its name: a script
 * that writes to `/dev/stderr`, as many do, would fail. So the child gets FIFOs without a name.
 *
 * 1. Each FIFO serves one process only: whoever kept an end of it open reads nobody else's output.
 * 2. Nothing is left in the file system: a FIFO's name is removed as soon as it is open.
 */
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnProcess } from './spawn.ts';

export interface Pipe {
  /** Ends when every process that could write has ended or closed it. */
  readonly stream: Socket;
  /** For the child; closed by the caller once the child has it. */
  readonly writeEnd: number;
}

/** How many are made at a time: making them takes a process. */
const BATCH = 16;
/** `O_PATH` of Linux: refers to the FIFO without being one of its ends. */
const PATH_ONLY = 0o10000000;

const unused: number[] = [];
let making: Promise<void> | undefined;

/** Opens a pipe; null where the system cannot make one this way. */
export async function openPipe(): Promise<Pipe | null> {
  if (process.platform !== 'linux') return null;
  const fifo = unused.pop() ?? (await makeMore());
  if (fifo === undefined) return null;
  const path = `/proc/self/fd/${fifo}`;
  try {
    const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writeEnd = openSync(path, constants.O_WRONLY);
    return { stream: new Socket({ fd: readEnd, readable: true, writable: false }), writeEnd };
  } finally {
    closeSync(fifo);
  }
}

/** Waits for one common batch after another: many at once make no more than they need. */
async function makeMore(): Promise<number | undefined> {
  for (;;) {
    const first = making === undefined;
    making ??= makeFifos().then((fifos) => {
      making = undefined;
      unused.push(...fifos);
    });
    await making;
    const fifo = unused.pop();
    if (fifo !== undefined || first) return fifo;
  }
}

async function makeFifos(): Promise<number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ramet-pipes-'));
  const paths = Array.from({ length: BATCH }, (_, index) => join(folder, String(index)));
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin' };
  try {
    const { child, closed } = await spawnProcess({
      argv: ['mkfifo', '-m', '600', ...paths],
      cwd: folder,
      env,
      stdin: 'ignore',
      stdout: 'pipe',
    });
    child.stdout?.resume();
    child.stderr?.resume();
    const { exitCode } = await closed;
    return exitCode === 0 ? paths.map((path) => openSync(path, PATH_ONLY)) : [];
  } catch {
    return [];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
