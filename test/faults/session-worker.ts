/**
 * A process that does one thing to a store, to be killed while it does: `node session-worker.ts <json>`. It prints
 * `ready` before it begins and `done` with the answer when it has ended.
 */
import { randomBytes } from 'node:crypto';
import { makeRunId, type RunId } from '@ramet/core';
import { forkSession } from '@ramet/runtime/fork';
import { runTurn } from '@ramet/runtime/session';
import { openFileStore } from '@ramet/runtime/store';
import { makeSettings } from '@ramet/testkit';

/** What a worker is told to do. */
export interface WorkerTask {
  readonly home: string;
  readonly repository: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly action:
    | {
        readonly kind: 'turn';
        readonly session: RunId | null;
        readonly model: string;
        readonly sandbox: 'auto' | 'none';
      }
    | { readonly kind: 'fork'; readonly session: RunId; readonly at: number };
}

const task = JSON.parse(process.argv[2] ?? '') as WorkerTask;
const { home, repository: cwd, env, action } = task;
const store = openFileStore({ home, now: Date.now });
process.stdout.write('ready\n');
process.stdout.write(`done ${JSON.stringify(await perform())}\n`);

function perform(): Promise<unknown> {
  if (action.kind === 'fork') {
    const makeId = (): RunId => makeRunId(Date.now(), randomBytes(10));
    return forkSession({ store, makeId }, action.session, { at: action.at });
  }
  const services = {
    store,
    now: Date.now,
    randomBytes: (count: number) => randomBytes(count),
    env,
    sleep: () => Promise.reject(new Error('a scripted model never waits')),
  };
  const rules = [{ tool: 'shell', do: 'allow' }] as const;
  const settings = makeSettings({ model: action.model, sandbox: action.sandbox, rules });
  const session =
    action.session === null
      ? ({ kind: 'new', options: { cwd, allowDirty: false } } as const)
      : ({ kind: 'open', id: action.session } as const);
  return runTurn(services, { session, prompt: 'do it', cwd, attachments: [], settings });
}
