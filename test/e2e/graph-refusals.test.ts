/**
 * Exit codes, stdout and what is left alone, for every command about graph runs: what each refuses, a row a refusal, and
 * what all of them do in situations a person's machine gets into.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Code, exitCodeOf } from '@ramet/core/codes';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ended, parseAnswer, ROOT } from './support/command.ts';
import { Stage } from './support/stage.ts';
import { listStore } from './support/store.ts';

let stage: Stage;
/** Of publish.json, completed; of payments.json, parked at its gate; a session. */
const ids = { done: '', parked: '', session: '' };

beforeAll(async () => {
  stage = new Stage();
  cpSync(join(ROOT, 'examples/graphs'), join(stage.repository, 'graphs'), { recursive: true });
  Object.assign(stage.env, { SINK: join(stage.area.folder, 'sink') });
  const graph = ['graph', 'run'];
  const done = await stage.ask([...graph, 'graphs/publish.json', '--input', '{"topic":"otters"}']);
  const input = '{"payments":[{"id":"a","amount":1},{"id":"b","amount":5000},{"id":"c","amount":6000}]}';
  const parked = await stage.ask([...graph, 'graphs/payments.json', '--input', input], { exit: 7 });
  const session = await stage.play(null, [{ text: 'hello' }], { args: ['--workspace', 'none'] });
  Object.assign(ids, { done: done.run, parked: parked.run, session: session.session });
  const write = (name: string, text: string): void => writeFileSync(join(stage.repository, name), text);
  write('cycle.json', JSON.stringify(CYCLE));
  write('cut.json', '{"schema":');
  write('agent.json', JSON.stringify({ schema: 1, nodes: { a: { kind: 'agent', prompt: 'hi' } } }));
});
afterAll(() => stage.close());

const PROGRAM = { kind: 'tool', exec: { command: 'true', sandbox: false } };
const CYCLE = {
  schema: 1,
  nodes: { a: PROGRAM, b: PROGRAM },
  edges: [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'a' },
  ],
};

type Kind = keyof typeof ids;
type Row = readonly [code: Code, words: string, ...more: string[]];

/** `<done>` and so on stand for ids; what follows the words is taken as it is. */
const ROWS: readonly Row[] = [
  ['bad_graph', 'graph run cycle.json'],
  ['bad_graph', 'graph run cut.json'],
  ['bad_graph', 'graph validate cycle.json'],
  ['bad_usage', 'graph run nowhere.json'],
  ['bad_usage', 'graph run graphs'],
  ['bad_usage', 'graph run graphs/publish.json --input', 'otters'],
  ['bad_usage', 'graph run graphs/publish.json --input @nowhere'],
  ['bad_usage', 'graph run graphs/publish.json --input {} -'],
  ['bad_usage', 'graph run graphs/publish.json --label', 'no label'],
  ['bad_usage', 'graph run graphs/publish.json --max-steps 0'],
  ['bad_usage', 'graph run graphs/publish.json --allow-net', 'http://x'],
  ['bad_usage', 'graph run graphs/publish.json --deny nosuchtool'],
  ['bad_input', 'graph run graphs/publish.json --input {}'],
  ['no_model', 'graph run agent.json'],
  ['bad_usage', 'runs --limit 0'],
  ['bad_usage', 'show <done> --turn 1'],
  ['node_unknown', 'show <done> --node nobody'],
  ['bad_usage', 'show <session> --node publish'],
  ['bad_usage', 'fork <done>'],
  ['bad_usage', 'fork <done> --at 5 --from-node publish'],
  ['bad_usage', 'fork <done> --at 5 --visit 1'],
  ['bad_usage', 'fork <done> --at 5 --item 1'],
  ['bad_usage', 'fork <done> --from-node publish --acknowledge-writes', 'every'],
  ['bad_usage', 'fork <done> --from-node publish --acknowledge-writes', '12;13'],
  ['bad_usage', 'fork <done> --from-node publish --input', 'otters'],
  ['bad_usage', 'fork <done> --from-node publish --output', 'research'],
  ['bad_usage', 'fork <done> --from-node publish --dry-run --no-start'],
  ['bad_graph', 'fork <done> --from-node publish --graph cycle.json'],
  ['graph_changed', 'fork <done> --from-node publish --graph graphs/payments.json'],
  ['write_replay_hazard', 'fork <done> --from-node publish'],
  ['write_replay_hazard', 'runs fork <done> --from-node research'],
  ['not_a_hazard', 'fork <done> --from-node publish --acknowledge-writes 1'],
  ['node_unknown', 'fork <done> --from-node nobody'],
  ['node_never_entered', 'fork <parked> --from-node pay[1]/send'],
  ['node_skipped', 'fork <parked> --from-node pay[0]/review'],
  ['node_visit_ambiguous', 'fork <parked> --from-node amount'],
  ['not_a_boundary', 'fork <done> --at 1'],
  ['not_a_boundary', 'fork <done> --at 99999'],
  ['change_refused', 'fork <done> --from-node notify --output', 'publish=1'],
  ['bad_usage', 'fork <session> --from-node publish'],
  ['bad_usage', 'fork <session> --acknowledge-writes all'],
  ['bad_usage', 'fork <session> --no-start'],
  ['bad_usage', 'fork <session> --yes'],
  ['not_a_graph_run', 'resume <session>'],
  ['not_a_graph_run', 'answer <session> true'],
  ['not_a_graph_run', 'abandon <session>'],
  ['no_checkpoint', 'diff <done>'],
  ['no_checkpoint', 'apply <done>'],
];

/** Those that take the run for themselves: one after the other. */
const OWNING_ROWS: readonly Row[] = [
  ['run_ended', 'resume <done>'],
  ['run_ended', 'abandon <done>'],
  ['bad_usage', 'answer <parked>'],
  ['bad_usage', 'answer <parked>', 'yes'],
  ['ambiguous_gate', 'answer <parked> true'],
  ['unknown_gate', 'answer <parked> --gate nobody true'],
  ['unknown_gate', 'answer <parked> --gate 1 true'],
  ['unknown_gate', 'answer <done> true'],
  ['bad_input', 'answer <parked> --gate pay[1]/review', '"yes"'],
  ['nothing_to_do', 'resolve <parked> --offset 1 --retry'],
  ['bad_usage', 'resolve <parked> --offset 1'],
  ['not_confirmed', 'remove <parked>'],
];

function wordsOf([, words, ...more]: Row): readonly string[] {
  const spoken = words.split(' ').map((word) => {
    const [, kind] = /^<(.+)>$/.exec(word) ?? [];
    return kind === undefined ? word : ids[kind as Kind];
  });
  return [...spoken, ...more];
}

/** Checks a refusal: its exit code, one document or nothing on stdout, no stack, and that it is told in one line. */
function checkRefusal(ended: Ended, code: Code, isJson: boolean): void {
  const shown = `${ended.stdout}${ended.stderr}`;
  expect({ code: ended.code, signal: ended.signal }, shown).toEqual({ code: exitCodeOf(code), signal: null });
  expect(ended.stderr).not.toMatch(/\n {4}at |node:internal/);
  if (isJson) {
    const answer = parseAnswer(ended);
    expect(answer, shown).toMatchObject({ code, message: expect.stringMatching(/./) });
    // What to do without a model takes three lines.
    if (code !== 'no_model') expect(answer.message).not.toContain('\n');
    if (code === 'write_replay_hazard') checkWrites(answer.writes);
  } else if (code !== 'bad_graph' && code !== 'no_model') {
    expect(ended.stdout).toBe('');
    expect(ended.stderr).toMatch(new RegExp(`(^|\\n)ramet: [^\\n]+ \\(${code}\\)\\n$`));
  }
}

/** Each with what tells it apart. */
function checkWrites(writes: unknown): void {
  expect(writes).toEqual([
    expect.objectContaining({
      offset: expect.any(Number),
      node: 'publish',
      tool: 'exec',
      input: { command: expect.any(String), input: { topic: 'otters', facts: 2 } },
      key: expect.stringMatching(/^[0-9a-f]{64}$/),
      time: expect.stringMatching(/Z$/),
    }),
  ]);
}

async function checkRow(row: Row): Promise<void> {
  for (const isJson of [true, false]) {
    checkRefusal(await stage.ramet([...wordsOf(row), ...(isJson ? ['--json'] : [])]), row[0], isJson);
  }
}

const named = (rows: readonly Row[]) => rows.map((row) => ({ name: row.slice(1).join(' '), row }));

describe.concurrent('a refusal', { timeout: 240_000 }, () => {
  test.each(named(ROWS))('of "$name" changes nothing', ({ row }) => checkRow(row));
});

describe('a refusal of what takes the run for itself', { timeout: 240_000 }, () => {
  test.each(named(OWNING_ROWS))('of "$name" changes nothing', ({ row }) => checkRow(row));
});

/** Every command that takes the id of a run. */
const VERBS: readonly (readonly [verb: string, ...rest: string[]])[] = [
  ['show'],
  ['log'],
  ['verify'],
  ['usage'],
  ['title', 'another'],
  ['fork', '--from-node', 'pay', '--dry-run'],
  ['resume'],
  ['answer', 'true', '--gate', 'pay[1]/review'],
  ['abandon'],
  ['resolve', '--offset', '4', '--retry'],
  ['diff'],
  ['apply'],
  ['remove', '--yes'],
];

/** Those that look, and what they answer of a run without files. */
const READING: Readonly<Record<string, Code | undefined>> = {
  show: undefined,
  usage: undefined,
  log: undefined,
  diff: 'no_checkpoint',
};

describe('every command about a run', { timeout: 240_000 }, () => {
  // One after the other: some take the run for themselves.
  const ask = async (id: string, env: Readonly<Record<string, string>> = {}) => {
    const asked: { verb: string; ended: Ended; answer: Record<string, unknown> }[] = [];
    for (const [verb, ...rest] of VERBS) {
      const ended = await stage.ramet([verb, id, ...rest, '--json'], { env });
      asked.push({ verb, ended, answer: parseAnswer(ended) });
    }
    return asked;
  };

  test('left the store as it was in all refusals', () => {
    expect(stage.problems()).toEqual([]);
    expect(stage.eventsOfType(ids.parked, 'gate.answer')).toEqual([]);
  });

  test('names an id it does not know, and refuses what is none', async () => {
    const before = listStore(stage.home);
    for (const { verb, ended, answer } of await ask('01890000-0000-7000-8000-00000000ffff'))
      expect({ exit: ended.code, code: answer.code }, verb).toEqual({ exit: 1, code: 'unknown_run' });
    for (const { verb, ended, answer } of await ask('../runs'))
      expect({ exit: ended.code, code: answer.code }, verb).toEqual({ exit: 1, code: 'malformed_id' });
    expect(listStore(stage.home)).toEqual(before);
  });

  test('says what a damaged log allows', async () => {
    const { home, env } = stage.copyState('damaged-run');
    const log = join(home, 'runs', ids.parked, 'log', '000000000001.jsonl');
    const bytes = readFileSync(log);
    bytes.write('x', bytes.indexOf('"type":"gate.open"') + 20);
    writeFileSync(log, bytes);
    const others: Readonly<Record<string, Code | undefined>> = {
      verify: 'verification_failed',
      show: undefined,
      usage: undefined,
      remove: undefined,
    };
    for (const { verb, ended, answer } of await ask(ids.parked, env)) {
      const expected = verb in others ? others[verb] : 'log_damaged';
      expect(answer.code, `${verb}: ${ended.stdout}`).toBe(expected);
      expect(ended.code, verb).toBe(expected === undefined ? 0 : exitCodeOf(expected));
    }
  });

  test('leaves a run alone that another process drives', async () => {
    const { env } = stage.copyState('owned-run');
    const hold = {
      schema: 1,
      nodes: { a: { ...PROGRAM, exec: { ...PROGRAM.exec, command: 'echo > "$SINK.on"; exec sleep 300' } } },
    };
    writeFileSync(join(stage.repository, 'hold.json'), JSON.stringify(hold));
    const owner = stage.start(['graph', 'run', 'hold.json', '--events'], { env });
    try {
      const first = await new Promise<string>((resolve) =>
        owner.child.stdout?.once('data', (chunk) => resolve(String(chunk))),
      );
      const id = String((JSON.parse(first.split('\n')[0] ?? '') as { id?: unknown }).id);
      for (const { verb, ended, answer } of await ask(id, env)) {
        expect(answer.code, `${verb}: ${ended.stdout}`).toBe(verb in READING ? READING[verb] : 'owned_elsewhere');
      }
      const listed = await stage.ask(['runs'], { env });
      expect((listed.runs as readonly { id: string }[]).find((run) => run.id === id)).toMatchObject({
        state: 'running',
      });
    } finally {
      owner.child.kill('SIGKILL');
      await owner.ended;
    }
  });

  test('does its work and keeps its exit code when nobody reads its output', async () => {
    const cases = [
      { args: ['runs'], code: 0 },
      { args: ['show', ids.done], code: 0 },
      { args: ['resume', ids.parked], code: 7 },
      { args: ['fork', ids.done, '--from-node', 'publish'], code: 3 },
      { args: ['graph', 'run', 'graphs/root.json', '--input', '{"number":2}'], code: 0 },
      { args: ['graph', 'run', 'graphs/root.json', '--input', '{"number":2}', '--events'], code: 0 },
    ];
    for (const { args, code } of cases) {
      for (const flags of args.includes('--events') ? [[]] : [[], ['--json']]) {
        const running = stage.start([...args, ...flags]);
        running.child.stdout?.destroy();
        const ended = await running.ended;
        expect(ended, args.join(' ')).toMatchObject({ code, signal: null });
        expect(ended.stderr).not.toMatch(/EPIPE|\n {4}at /);
      }
    }
  });

  test('answers a flag nobody knows with one line and exit code 1', async () => {
    const commands = [
      ['graph', 'run', 'graphs/root.json'],
      ['graph', 'validate', 'graphs/root.json'],
      ['graph', 'schema'],
      ['runs'],
    ];
    for (const args of [...commands, ...VERBS.map(([verb, ...rest]) => [verb, ids.parked, ...rest])]) {
      const answer = await stage.ask([...args, '--no-such-flag'], { exit: 1 });
      expect(answer, args.join(' ')).toMatchObject({
        code: 'bad_usage',
        message: expect.stringContaining('no-such-flag'),
      });
    }
  });
});
