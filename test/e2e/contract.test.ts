/**
 * Stdout, exit codes and what is left alone, for every command that takes an id, in every situation a person's machine
 * gets into. A command or a situation without its expected answer does not compile.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Code, exitCodeOf } from '@ramet/core/codes';
import { startModelEndpoint } from '@ramet/testkit/models';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BIN, type Ended, parseAnswer, startProgram } from './support/command.ts';
import { callShell, Stage, skipWithoutSandbox } from './support/stage.ts';
import { listRuns, listStore } from './support/store.ts';

const VERBS = {
  run: (id: string) => ['run', '--session', id, '--model', model, 'go on'],
  'run --fork': (id: string) => ['run', '--fork', id, '--model', model, 'go on'],
  fork: (id: string) => ['fork', id],
  'sessions fork': (id: string) => ['sessions', 'fork', id],
  show: (id: string) => ['show', id],
  log: (id: string) => ['log', id],
  title: (id: string) => ['title', id, 'another'],
  verify: (id: string) => ['verify', id],
  usage: (id: string) => ['usage', id],
  resolve: (id: string) => ['resolve', id, '--offset', '4', '--retry'],
  diff: (id: string) => ['diff', id],
  apply: (id: string) => ['apply', id],
  remove: (id: string) => ['remove', id, '--yes'],
} as const;

type Verb = keyof typeof VERBS;
type Expected = Readonly<Record<Verb, Code | 'ok'>>;

const verbs = Object.keys(VERBS) as Verb[];

function all(code: Code): Expected {
  return Object.fromEntries(verbs.map((verb) => [verb, code])) as Record<Verb, Code>;
}

let stage: Stage;
let session: string;
let model: string;

beforeAll(async () => {
  stage = new Stage();
  model = stage.writeScript([callShell('echo more >> made.txt'), { text: 'done' }]);
  const first = await stage.play(null, [
    { toolCalls: [{ name: 'write_file', input: { path: 'made.txt', content: 'one\n' } }] },
    { text: 'one' },
  ]);
  session = first.session;
  await stage.play(session, [{ text: 'two' }]);
  await stage.fork(session, 1);
});
afterAll(() => stage.close());

/** Checks one answer: its exit code, one document or nothing on stdout, no stack, no question. */
function checkAnswer(answered: {
  readonly ended: Ended;
  readonly verb: Verb;
  readonly expected: Code | 'ok';
  readonly isJson: boolean;
}): void {
  const { ended, verb, expected, isJson } = answered;
  const exit = expected === 'ok' ? 0 : exitCodeOf(expected);
  const shown = `${verb}: ${ended.stdout}${ended.stderr}`;
  expect({ code: ended.code, signal: ended.signal }, shown).toEqual({ code: exit, signal: null });
  expect(ended.stderr).not.toMatch(/\n {4}at |node:internal/);
  if (isJson) {
    const answer = parseAnswer(ended);
    if (expected !== 'ok') expect(answer, verb).toMatchObject({ code: expected, message: expect.stringMatching(/./) });
    if (expected !== 'ok') expect(answer.message).not.toContain('\n');
  } else if (expected !== 'ok' && expected !== 'verification_failed') {
    expect(ended.stdout).toBe('');
    expect(ended.stderr).toMatch(new RegExp(`^ramet: .+ \\(${expected}\\)\\n$`));
  }
}

interface Situation {
  readonly expected: Expected;
  readonly id?: string;
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Starts the command in another way. */
  readonly start?: (args: readonly string[], env: NodeJS.ProcessEnv) => Promise<Ended>;
}

/** Runs every command in a situation, as text and with `--json`, and checks that refusals changed nothing. */
async function checkSituation({
  expected,
  id = session,
  home = stage.home,
  env = {},
  start,
}: Situation): Promise<void> {
  const whole = { ...stage.env, RAMET_HOME: home, ...env };
  const run =
    start ??
    ((args, surroundings) =>
      startProgram(process.execPath, [BIN, ...args], { cwd: stage.repository, env: surroundings }).ended);
  for (const verb of verbs) {
    const before = listStore(home);
    const args = VERBS[verb](id);
    const isChange = expected[verb] === 'ok';
    for (const isJson of isChange || !AS_TEXT.has(verb) ? [true] : [true, false]) {
      const ended = await run(isJson ? [...args, '--json'] : args, whole);
      checkAnswer({ ended, verb, expected: expected[verb], isJson });
    }
    if (!isChange || READING.has(verb)) expect(listStore(home), verb).toEqual(before);
  }
}

/** Refusals are printed in one place: two commands as text speak for all. */
const AS_TEXT: ReadonlySet<Verb> = new Set(['run', 'fork']);
const READING: ReadonlySet<Verb> = new Set(['show', 'log', 'usage', 'verify']);

describe('every command', { timeout: 240_000 }, () => {
  test('names an id it does not know', () =>
    checkSituation({ id: '01890000-0000-7000-8000-00000000ffff', expected: all('unknown_run') }));

  test('refuses what is no id', () => checkSituation({ id: '../runs', expected: all('malformed_id') }));

  test('never guesses between two sessions', () =>
    checkSituation({ id: session.slice(0, 8), expected: all('ambiguous_id') }));

  test('says what a damaged log allows', async () => {
    const { home } = stage.copyState('damaged');
    const log = join(home, 'runs', session, 'log', '000000000000.jsonl');
    const bytes = readFileSync(log);
    bytes.write('x', bytes.indexOf('"type":"message"') + 20);
    writeFileSync(log, bytes);
    const damaged = 'log_damaged';
    await checkSituation({
      home,
      expected: {
        ...all(damaged),
        show: 'ok',
        usage: 'ok',
        verify: 'verification_failed',
        remove: 'ok',
      },
    });
  });

  test('reads, and refuses to write, where the state folder is read-only', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const frozen = (args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> => {
      const mounts = ['--dev-bind', '/', '/', '--ro-bind', stage.home, stage.home, '--'];
      const surroundings = { cwd: stage.repository, env };
      return startProgram('bwrap', [...mounts, process.execPath, BIN, ...args], surroundings).ended;
    };
    const reading = { show: 'ok', log: 'ok', usage: 'ok', verify: 'ok', diff: 'ok', apply: 'ok' } as const;
    await checkSituation({ start: frozen, expected: { ...all('disk_failed'), ...reading } });
  });

  test('needs git only where it uses it', async () => {
    const { home } = stage.copyState('without-git');
    const reading = { show: 'ok', log: 'ok', usage: 'ok' } as const;
    const writing = { fork: 'ok', 'sessions fork': 'ok', title: 'ok', resolve: 'nothing_to_do', remove: 'ok' } as const;
    await checkSituation({
      home,
      env: { PATH: dirname(process.execPath) },
      expected: { ...all('git_missing'), ...reading, ...writing },
    });
  });

  test('leaves a session alone that another process owns', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const endpoint = await startModelEndpoint([{ body: [], end: 'hang' }]);
    const args = ['run', '--session', session, '--model', 'openai-compatible/x', '--base-url', endpoint.url, 'wait'];
    const { home, env } = stage.copyState('owned');
    const owner = stage.start(args, { env });
    try {
      await Promise.race([untilAsked(endpoint), owner.ended]);
      const reading = { show: 'ok', log: 'ok', usage: 'ok', diff: 'ok' } as const;
      await checkSituation({ home, expected: { ...all('owned_elsewhere'), ...reading } });
    } finally {
      owner.child.kill('SIGKILL');
      await owner.ended;
      await endpoint.close();
    }
  });
});

/** The commands without an id, and arguments that make each do its least. */
const OTHERS = [['sessions'], ['usage'], ['prune', '--older-than', '1'], ['verify', '--all'], ['doctor'], ['version']];

describe('the command line', { timeout: 240_000 }, () => {
  test('answers a flag nobody knows with one line and exit code 1', async () => {
    const before = listStore(stage.home);
    for (const args of [...verbs.map((verb) => [...VERBS[verb](session)]), ...OTHERS]) {
      const answer = await stage.ask([...args, '--no-such-flag'], { exit: 1 });
      expect(answer, args.join(' ')).toMatchObject({
        code: 'bad_usage',
        message: expect.stringContaining('no-such-flag'),
      });
    }
    expect(listStore(stage.home)).toEqual(before);
  });

  test('answers one document from the commands that take no id', async () => {
    for (const args of OTHERS) {
      const ended = await stage.ramet([...args, '--json']);
      expect(Object.keys(parseAnswer(ended)).length, args.join(' ')).toBeGreaterThan(0);
      expect(ended.stderr, args.join(' ')).toBe('');
    }
  });

  test('does its work and keeps its exit code when nobody reads its output', async () => {
    const cases = [
      { args: ['sessions'], code: 0 },
      { args: ['log', session, '--raw'], code: 0 },
      { args: ['show', 'ffffffff'], code: 1 },
      { args: ['fork', session, '--at', '1'], code: 3 },
    ];
    for (const { args, code } of cases) {
      for (const flags of [[], args.includes('--raw') ? [] : ['--json']]) {
        const running = stage.start([...args, ...flags]);
        running.child.stdout?.destroy();
        const ended = await running.ended;
        expect(ended, args.join(' ')).toMatchObject({ code, signal: null });
        expect(ended.stderr).not.toMatch(/EPIPE|\n {4}at /);
      }
    }
  });

  test('says that its answer could not be written', async () => {
    const command = ['-c', 'exec "$0" "$@" > /dev/full', process.execPath, BIN, 'sessions'];
    const ended = await startProgram('/bin/sh', command, { cwd: stage.repository, env: stage.env }).ended;
    expect(ended).toMatchObject({ code: 2, signal: null });
    expect(ended.stderr).toMatch(/^ramet: the answer could not be written: ENOSPC \(disk_failed\)\n$/);
  });

  test('lists the offsets that would do when one is no turn’s end', async () => {
    const ends = stage.eventsOfType(session, 'session.end').map(({ seq }) => seq);
    const answer = await stage.ask(['fork', session, '--at', '3'], { exit: 3 });
    expect(answer).toMatchObject({ code: 'not_a_boundary' });
    for (const end of ends) expect(answer.message).toContain(String(end));
    await stage.ask(['fork', session, '--at', '999999'], { exit: 3 });
  });

  test('removes nothing when nobody is there to say yes', async () => {
    const before = listStore(stage.home);
    const answer = await stage.ask(['remove', session], { exit: 3 });
    expect(answer.code).toMatch(/^(not_confirmed|would_lose_work)$/);
    await stage.ask(['remove', session, 'ffffffff', '--yes'], { exit: 1 });
    expect(listStore(stage.home)).toEqual(before);
  });

  test.for([
    { name: 'no model', args: [], code: 'no_model' },
    { name: 'no key', args: ['--model', 'anthropic/claude-sonnet-4-5'], code: 'no_key' },
  ])('says in three lines what to do with $name', async ({ args, code }) => {
    const before = listStore(stage.home);
    const ended = await stage.ramet(['run', ...args, 'hello']);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(code === 'no_key' ? /ANTHROPIC_API_KEY/ : /RAMET_MODEL/);
    expect(ended.stderr).toMatch(/--base-url|--model openai-compatible/);
    expect(ended.stderr).toContain('npm run demo');
    expect(ended.stderr.trimEnd().split('\n')).toHaveLength(3);
    expect(await stage.ask(['run', ...args, 'hello'], { exit: 1 })).toMatchObject({ code });
    expect(listStore(stage.home)).toEqual(before);
  });

  test('stops a command at Ctrl-C, keeps what it did, and goes on later', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const script = stage.writeScript([callShell('echo half > half.txt; exec sleep 300'), { text: 'never' }]);
    const running = stage.start(['run', '--model', script, 'wait', '--json']);
    const { home } = stage;
    const fresh = await untilFound(() =>
      listRuns(home).find((run) => existsSync(join(home, 'runs', run, 'workspace/half.txt'))),
    );
    running.child.kill('SIGINT');
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 130, signal: null });
    expect(parseAnswer(ended)).toMatchObject({ session: fresh, end: { reason: 'interrupted' } });
    expect(stage.eventsOf(fresh).slice(-2)).toMatchObject([{ type: 'workspace.checkpoint' }, { type: 'session.end' }]);
    await stage.turn(fresh, 'test "$(cat half.txt)" = half');
  });
});

async function untilAsked({ requests }: { readonly requests: readonly unknown[] }): Promise<void> {
  while (requests.length === 0) await sleep(20);
}

/** What `find` finds, as soon as it does; the test's own time limit ends a wait in vain. */
async function untilFound<T>(find: () => T | undefined): Promise<T> {
  for (;;) {
    const found = find();
    if (found !== undefined) return found;
    await sleep(20);
  }
}
