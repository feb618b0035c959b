import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ActorCommand } from './actor.ts';

/** A process that acts on a store; `tell` answers when it has done what it was told, or has died of it. */
export interface Actor {
  readonly pid: number;
  tell(command: ActorCommand): Promise<unknown>;
  kill(): Promise<void>;
}

interface Answer {
  readonly number: number;
  readonly answer?: unknown;
  readonly error?: string;
}

const idle: Actor[] = [];
const lent: Actor[] = [];
const alive = new Set<Actor>();

/** A process that acts on a store: one that is idle, or a new one. */
export function takeActor(): Actor {
  const actor = idle.pop() ?? startActor();
  lent.push(actor);
  return actor;
}

/** Makes every process let go of what it holds, for the next test. */
export async function returnActors(command: Omit<ActorCommand, 'act'>): Promise<void> {
  for (const actor of lent.splice(0)) {
    if (!alive.has(actor)) continue;
    await actor.tell({ ...command, act: 'close' });
    idle.push(actor);
  }
}

/** Ends every process. */
export async function endActors(): Promise<void> {
  await Promise.all([...alive].map((actor) => actor.kill()));
  idle.length = 0;
}

function startActor(): Actor {
  const child = fork(fileURLToPath(new URL('./actor.ts', import.meta.url)), { execArgv: [] });
  const waiting = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>();
  let next = 0;
  child.on('message', ({ number, answer, error }: Answer) => {
    const caller = waiting.get(number);
    waiting.delete(number);
    if (error === undefined) caller?.resolve(answer);
    else caller?.reject(new Error(error));
  });
  const actor: Actor = {
    pid: child.pid ?? 0,
    tell: (command) => {
      const number = next++;
      return new Promise((resolve, reject) => {
        waiting.set(number, { resolve, reject });
        child.send({ number, command });
      });
    },
    kill: () => kill(child),
  };
  alive.add(actor);
  child.on('exit', (code, signal) => {
    alive.delete(actor);
    for (const { resolve } of waiting.values()) resolve({ died: signal ?? code });
  });
  return actor;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
