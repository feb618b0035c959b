/** The built daemon with two hundred sessions at work: what it holds, what it answers meanwhile, how soon followers hear. */
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Area } from './area.ts';
import { measurePair, type Row } from './measure.ts';
import { startServing, stopServing } from './serve.ts';

/** As many as show whether what is held stops growing. */
const TURNS = 12;
const FOLLOWERS = 50;
const READS = 200;
const CONNECTIONS = 8;
/** How long each of a turn's two commands takes. */
const COMMAND_SECONDS = 2;

/** Many sessions at once, reads while they are at work, and the way of an event to its followers. */
export async function measureDaemon(area: Area, sessions: number): Promise<readonly Row[]> {
  const daemon = await startDaemon(area);
  try {
    const script = join(area.folder, 'daemon-script.json');
    const command = { toolCalls: [{ name: 'shell', input: { command: `sleep ${COMMAND_SECONDS}` } }] };
    writeFileSync(script, JSON.stringify([command, command, { text: 'done' }]));
    const body = {
      cwd: area.folder,
      prompt: 'go on',
      workspace: 'none',
      sandbox: 'none',
      model: `scripted:${script}`,
      rules: [{ tool: 'shell', do: 'allow' }],
    };
    const work = await takeTurns(daemon, body, sessions);
    const [id = ''] = work.ids;
    await Promise.all(work.ids.map((one) => daemon.ask(`/v1/sessions/${one}/messages`, messageOf(body))));
    const reads = [
      await measureReads(daemon, `list 50 of ${sessions} sessions, all at work`, '/v1/sessions?limit=50'),
      await measureReads(daemon, 'show one of them', `/v1/sessions/${id}`),
    ];
    await untilIdle(daemon);
    return [work.row, ...reads, await measureEvents(daemon, body, id)];
  } finally {
    await daemon.stop();
  }
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Daemon {
  ask(path: string, body?: unknown): Promise<Answer>;
  /** Calls back for each line of a stream, until the daemon stops; settles when it is open. */
  stream(path: string, onLine: (line: string) => void): Promise<void>;
  /** Of its process, in MB. */
  memory(): number;
  stop(): Promise<void>;
}

async function startDaemon(area: Area): Promise<Daemon> {
  const served = await startServing(area.folder, join(area.folder, 'daemon'));
  const { child, socket: socketPath } = served;
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  return {
    ask: (path, body) => ask({ socketPath, agent }, path, body),
    stream: (path, onLine) =>
      new Promise((resolve, reject) => {
        const sent = request({ socketPath, path }, (answer) => {
          createInterface({ input: answer })
            .on('line', onLine)
            .on('error', () => {});
          resolve();
        });
        sent.on('error', reject);
        sent.end();
      }),
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
    stop: async () => {
      await stopServing(served);
      agent.destroy();
    },
  };
}

function ask(
  way: { readonly socketPath: string; readonly agent: Agent },
  path: string,
  body: unknown,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const post = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const sent = request({ ...way, path, ...(body === undefined ? {} : post) }, async (answer) => {
      const chunks: Buffer[] = [];
      for await (const chunk of answer) chunks.push(chunk as Buffer);
      resolve({ status: answer.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) });
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

type NewSession = Readonly<Record<string, unknown>>;

/** Of a message to a session there is. */
function messageOf({ prompt, model, sandbox, rules }: NewSession): NewSession {
  return { prompt, model, sandbox, rules };
}

async function untilIdle(daemon: Daemon): Promise<void> {
  for (;;) {
    const { body } = await daemon.ask('/v1/sessions?limit=1000');
    const states = (body.sessions as readonly { readonly state: string }[]).map(({ state }) => state);
    if (states.every((state) => state === 'idle')) return;
    await sleep(100);
  }
}

async function takeTurns(
  daemon: Daemon,
  body: NewSession,
  sessions: number,
): Promise<{ readonly row: Row; readonly ids: readonly string[] }> {
  const before = daemon.memory();
  const memory: number[] = [];
  const times: number[] = [];
  let ids: readonly string[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const started = performance.now();
    const begin = (id?: string): Promise<Answer> =>
      id === undefined ? daemon.ask('/v1/sessions', body) : daemon.ask(`/v1/sessions/${id}/messages`, messageOf(body));
    const begun = await Promise.all(turn === 0 ? Array.from({ length: sessions }, () => begin()) : ids.map(begin));
    const refused = begun.find(({ status }) => status >= 300);
    if (refused !== undefined) throw new Error(JSON.stringify(refused.body));
    ids = begun.map((answer) => String(answer.body.session));
    memory.push(daemon.memory());
    await untilIdle(daemon);
    times.push(performance.now() - started);
  }
  const held = memory.map((mb) => mb.toFixed(0)).join(', ');
  const grown = (memory.at(-1) ?? 0) - (memory.at(-5) ?? 0);
  const floorMs = 2 * COMMAND_SECONDS * 1000;
  const [ms, leastMs] = [times.reduce((sum, time) => sum + time, 0) / times.length, Math.min(...times)];
  const row: Row = {
    name: `a turn of ${sessions} sessions at once, two commands each`,
    floor: 'the commands by themselves',
    ms,
    leastMs,
    floorMs,
    leastFloorMs: floorMs,
    ratio: ms / floorMs,
    note: `held ${before.toFixed(0)} MB before, then, with all at work, in turns 1 to ${TURNS}: ${held} MB; ${grown.toFixed(0)} MB more in the last four turns`,
  };
  return { row, ids };
}

/** Reads over as many connections at once, kept alive; milliseconds of one. */
async function measureReads(daemon: Daemon, name: string, path: string): Promise<Row> {
  const read = async (wanted: string): Promise<number> => {
    const started = performance.now();
    let left = READS;
    const worker = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        await daemon.ask(wanted);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, worker));
    return (performance.now() - started) / READS;
  };
  let best = Number.POSITIVE_INFINITY;
  const subject = async (): Promise<number> => {
    const ms = await read(path);
    best = Math.min(best, ms);
    return ms;
  };
  return measurePair({
    name,
    floor: 'an answer that says ok',
    rounds: 3,
    subject,
    base: () => read('/healthz'),
    note: () => `at best ${(1000 / best).toFixed(0)} a second over ${CONNECTIONS} connections`,
  });
}

/** From an event's own time, which is cut to milliseconds, to the last of its followers. */
async function measureEvents(daemon: Daemon, body: NewSession, id: string): Promise<Row> {
  const late: number[] = [];
  const heard = new Map<string, number>();
  const onLine = (line: string): void => {
    if (!line.startsWith('data: {"seq"')) return;
    const { seq, time } = JSON.parse(line.slice('data: '.length)) as { readonly seq: number; readonly time: string };
    const count = (heard.get(String(seq)) ?? 0) + 1;
    heard.set(String(seq), count);
    if (count === FOLLOWERS) late.push(Date.now() - Date.parse(time));
  };
  const { body: shown } = await daemon.ask(`/v1/sessions/${id}`);
  const path = `/v1/runs/${id}/events?from=${String(shown.events)}`;
  for (let index = 0; index < FOLLOWERS; index += 1) await daemon.stream(path, onLine);
  for (let turn = 0; turn < 3; turn += 1) {
    await daemon.ask(`/v1/sessions/${id}/messages`, messageOf(body));
    await untilIdle(daemon);
  }
  const sorted = late.toSorted((one, other) => one - other);
  const [p99, p50] = [0.99, 0.5].map((part) => sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN);
  return {
    name: `from an event to the last of ${FOLLOWERS} followers, p99`,
    floor: 'the same, median',
    ms: p99 ?? Number.NaN,
    floorMs: p50 ?? Number.NaN,
    ratio: (p99 ?? Number.NaN) / (p50 ?? Number.NaN),
    leastMs: sorted[0] ?? Number.NaN,
    leastFloorMs: sorted[0] ?? Number.NaN,
    note: `${sorted.length} events`,
  };
}
