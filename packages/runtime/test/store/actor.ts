/** A process that acts on a store as it is told, one command after the other; killed by the test that started it. */
import { type EventDraft, isRefusal, makeRunId, type RunId } from '@ramet/core';
import { forkSession } from '@ramet/runtime/fork';
import { type FileStore, openFileStore } from '@ramet/runtime/store';

export interface ActorCommand {
  readonly home: string;
  readonly id: RunId;
  readonly act:
    | 'own'
    | 'own and append'
    | 'share'
    | 'fork'
    | 'fork and die before the rename'
    | 'stage and hold'
    | 'stage and discard, again and again'
    | 'probe and read, again and again'
    | 'remove'
    | 'close';
  readonly key?: string;
  readonly times?: number;
}

const open: { close(): void }[] = [];
let stopped = false;

process.on('message', ({ number, command }: { number: number; command: ActorCommand }) => {
  act(command).then(
    (answer) => process.send?.({ number, answer }),
    (error: unknown) => process.send?.({ number, error: String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));

async function act(command: ActorCommand): Promise<unknown> {
  const store = openFileStore({ home: command.home, now: Date.now, sealBytes: 2_000 });
  const { id } = command;
  if (command.act === 'own' || command.act === 'share') return hold(await store[command.act](id));
  if (command.act === 'own and append') return appendTurn(store, id);
  if (command.act === 'fork') return forkWith(store, command);
  if (command.act === 'fork and die before the rename') return forkWith(dyingStore(store), command);
  if (command.act === 'stage and hold') {
    store.stage(id).append([startOf(id), ...turnOf('first')]);
    return 'staged';
  }
  if (command.act === 'stage and discard, again and again') return stageOften(store, command.times ?? 1);
  if (command.act === 'probe and read, again and again') return probeOften(store, id);
  if (command.act === 'remove') return describeAnswer(await store.remove(id));
  stopped = true;
  await new Promise((resolve) => setImmediate(resolve));
  for (const log of open.splice(0)) log.close();
  return 'closed';
}

function hold(log: { close(): void } | { kind: 'refusal' }): unknown {
  if (!isRefusal(log)) open.push(log as { close(): void });
  return describeAnswer(log);
}

function describeAnswer(value: unknown): unknown {
  return isRefusal(value) ? { code: value.code, message: value.message, data: value.data } : 'done';
}

async function appendTurn(store: FileStore, id: RunId): Promise<unknown> {
  const log = await store.own(id);
  if (isRefusal(log)) return describeAnswer(log);
  await log.append(turnOf(`by ${process.pid}`), { durable: true });
  const { repaired } = log;
  log.close();
  return { repaired };
}

async function forkWith(store: FileStore, command: ActorCommand): Promise<unknown> {
  const { id, key } = command;
  const makeId = (): RunId => makeRunId(Date.now(), crypto.getRandomValues(new Uint8Array(10)));
  const result = await forkSession({ store, makeId }, id, key === undefined ? {} : { idempotencyKey: key });
  return isRefusal(result) ? describeAnswer(result) : { session: result.session, repeated: result.repeated };
}

/** Its process dies right after a key is bound. */
function dyingStore(store: FileStore): FileStore {
  return {
    ...store,
    claimKey: (hash, record) => {
      store.claimKey(hash, record);
      process.kill(process.pid, 'SIGKILL');
      return true;
    },
  };
}

async function stageOften(store: FileStore, times: number): Promise<unknown> {
  for (let time = 0; time < times; time += 1) {
    const id = makeRunId(Date.now(), crypto.getRandomValues(new Uint8Array(10)));
    const staged = store.stage(id);
    staged.append([startOf(id), ...turnOf('first')]);
    if (time % 2 === 0) staged.discard();
    else await staged.commit();
  }
  return 'done';
}

async function probeOften(store: FileStore, id: RunId): Promise<unknown> {
  let probes = 0;
  stopped = false;
  while (!stopped) {
    store.ownerOf(id);
    const outline = store.read(id)?.readOutline();
    if (outline?.damage) return { damage: outline.damage };
    for (const event of store.read(id)?.readEvents() ?? []) if (typeof event.seq !== 'number') return { event };
    probes += 1;
    if (probes % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return { probes };
}

// Its own small drafts: what it imports is what each process takes to start.
function startOf(id: RunId): EventDraft {
  return { type: 'session.start', schema: 1, id, project: null, cwd: '', workspace: 'none', versions: {} };
}

function turnOf(content: string): readonly EventDraft[] {
  return [
    { type: 'message', message: { role: 'user', content } },
    { type: 'session.end', reason: 'completed', checkpoint: 'none', why: 'test' },
  ];
}
