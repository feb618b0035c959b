import { appendFileSync, chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { makeWorkbench, needSandbox, shell, type Workbench, waitForExit, waitForText } from './processes.ts';

let bench: Workbench;
let session: string;

beforeAll(() => {
  bench = makeWorkbench();
  const done = bench.ramet('run', '--no-sandbox', '--model', bench.script('one', [{ text: 'Done.' }]), '--json', 'go');
  session = done.status === 0 ? JSON.parse(done.stdout).session : '';
}, 60_000);

/** The one document on stdout. */
function parseOnly(stdout: string): Record<string, unknown> {
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  return JSON.parse(stdout);
}

test.each([
  { argv: ['run', '--model', 'nobody/x', 'go'], status: 1, code: 'unknown_model' },
  { argv: ['run', '--model', 'anthropic/x', 'go'], status: 1, code: 'no_key' },
  { argv: ['run', 'go'], status: 1, code: 'no_model' },
  { argv: ['run'], status: 1, code: 'nothing_to_do' },
  { argv: ['run', '--session', 'ffffff', 'go'], status: 1, code: 'unknown_run' },
  { argv: ['run', '--max-tokens', 'many', 'go'], status: 1, code: 'bad_usage' },
  { argv: ['run', '--at', '3', 'go'], status: 1, code: 'bad_usage' },
  { argv: ['frok'], status: 1, code: 'bad_usage' },
  { argv: ['show', '../x'], status: 1, code: 'malformed_id' },
  { argv: ['prune'], status: 1, code: 'bad_usage' },
])('ramet $argv --json answers $code with exit code $status', async ({ argv, status, code }) => {
  const outcome = bench.ramet(...argv, '--json');
  expect(outcome.status).toBe(status);
  expect(parseOnly(outcome.stdout)).toMatchObject({ code, message: expect.any(String) });
  expect(outcome.stderr).toBe('');
});

test('says in three lines what to do without a model', () => {
  const { status, stdout, stderr } = bench.ramet('run', 'go');
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr.trimEnd().split('\n')).toHaveLength(3);
  expect(stderr).toContain('npm run demo');
});

test.each([
  { argv: ['fork', '--at', '1'], status: 3, code: 'not_a_boundary' },
  { argv: ['remove'], status: 3, code: 'not_confirmed' },
  { argv: ['run', '--session'], status: 1, code: 'no_open_turn' },
])('$argv on a session answers $code with exit code $status', async ({ argv, status, code }) => {
  const outcome = bench.ramet(...argv, session, '--json');
  expect(outcome.status).toBe(status);
  expect(parseOnly(outcome.stdout)).toMatchObject({ code });
});

test('a failed turn answers with the shape of a turn, the error, and exit code 2', async (context) => {
  await needSandbox(context);
  const outcome = bench.ramet('run', '--model', bench.script('short', [shell('true')]), '--json', 'go');
  expect(outcome.status).toBe(2);
  expect(parseOnly(outcome.stdout)).toMatchObject({ end: { reason: 'failed' }, error: { code: 'script_exhausted' } });
});

test('a limit ends the turn with exit code 4', async (context) => {
  await needSandbox(context);
  const model = bench.script('limited', [shell('true'), shell('true'), { text: 'Done.' }]);
  const outcome = bench.ramet('run', '--model', model, '--max-requests', '1', '--json', 'go');
  expect(outcome.status).toBe(4);
  expect(parseOnly(outcome.stdout)).toMatchObject({ end: { reason: 'limit' } });
});

test.each([
  { onAsk: 'deny', status: 0, answer: { text: 'Done.', denied: [{ tool: 'shell' }] } },
  { onAsk: 'fail', status: 3, answer: { end: { reason: 'failed' }, error: { code: 'approval_denied' } } },
  { onAsk: 'park', status: 7, answer: { code: 'approval_pending' } },
])('a question nobody answers: --on-ask $onAsk ends with exit code $status', async ({ onAsk, status, answer }) => {
  const model = bench.script('asking', [shell('true'), { text: 'Done.' }]);
  const outcome = bench.ramet(
    'run',
    '--model',
    model,
    '--no-sandbox',
    '--ask',
    'shell',
    '--on-ask',
    onAsk,
    '--json',
    'go',
  );
  expect(outcome.status).toBe(status);
  expect(parseOnly(outcome.stdout)).toMatchObject(answer);
});

test('a parked session goes on when it is answered with --yes', () => {
  const model = bench.script('parking', [shell('echo answered > answer.txt'), { text: 'Done.' }]);
  const flags = ['--model', model, '--no-sandbox', '--ask', 'shell'];
  const parked = parseOnly(bench.ramet('run', ...flags, '--on-ask', 'park', '--json', 'go').stdout);
  const outcome = bench.ramet('run', '--session', String(parked.session), ...flags, '--yes', '--json');
  expect(parseOnly(outcome.stdout)).toMatchObject({ end: { reason: 'completed' }, denied: [] });
  const written = join(bench.home, 'runs', String(parked.session), 'workspace/answer.txt');
  expect(readFileSync(written, 'utf8')).toBe('answered\n');
});

test('--events prints every event of the turn and then the result, each a line of JSON', async (context) => {
  await needSandbox(context);
  const outcome = bench.ramet(
    'run',
    '--model',
    bench.script('events', [shell('true'), { text: 'Done.' }]),
    '--events',
    'go',
  );
  const lines = outcome.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const result = lines.pop();
  expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, index) => index));
  expect(lines.at(-1)).toMatchObject({ type: 'session.end', seq: result.end.offset });
});

test('the first Ctrl-C ends the turn with exit code 130, and the session goes on', async (context) => {
  await needSandbox(context);
  const child = bench.start(
    'run',
    '--model',
    bench.script('slow', [shell('echo started; sleep 60'), { text: 'Done.' }]),
    'go',
  );
  await waitForText(child.stderr, 'sleep 60');
  child.kill('SIGINT');
  expect(await waitForExit(child)).toEqual({ code: 130, signal: null });
  const [last] = JSON.parse(bench.ramet('sessions', '--json').stdout).sessions;
  expect(last).toMatchObject({ state: 'idle', lastEnd: { reason: 'interrupted' } });
  const again = bench.ramet(
    'run',
    '--session',
    last.id,
    '--model',
    bench.script('again', [{ text: 'Done.' }]),
    '--json',
    'go on',
  );
  expect(parseOnly(again.stdout)).toMatchObject({ turn: 2, end: { reason: 'completed' } });
});

test('a session that another process runs is refused with exit code 5, and shown as running', async (context) => {
  await needSandbox(context);
  const child = bench.start('run', '--session', session, '--model', bench.script('held', [shell('sleep 60')]), 'go');
  await waitForText(child.stderr, 'sleep 60');
  for (const argv of [['fork'], ['remove', '--yes'], ['verify'], ['apply'], ['title', session, 'x']]) {
    const words = argv[0] === 'title' ? argv : [...argv, session];
    const outcome = bench.ramet(...words, '--json');
    expect(outcome.status).toBe(5);
    expect(parseOnly(outcome.stdout)).toMatchObject({ code: 'owned_elsewhere', owner: { pid: child.pid } });
  }
  const { sessions } = JSON.parse(bench.ramet('sessions', '--json').stdout);
  expect(sessions.find(({ id }: { id: string }) => id === session)).toMatchObject({ state: 'running' });
  child.kill('SIGINT');
  await waitForExit(child);
});

test('a reader that goes away is no error', async () => {
  const child = bench.start('log', session, '--raw');
  child.stdout?.destroy();
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const { code } = await waitForExit(child);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('a damaged log is shown up to the damage, refused for the rest, and named by verify with exit code 6', () => {
  const forked = JSON.parse(bench.ramet('fork', session, '--json').stdout).session;
  const log = join(bench.home, 'runs', forked, 'log');
  const segment = join(
    log,
    readdirSync(log)
      .filter((name) => name.endsWith('.jsonl'))
      .at(-1) ?? '',
  );
  chmodSync(segment, 0o600);
  writeFileSync(segment, readFileSync(segment, 'utf8').replace('"type":"session.fork"', '"type":"session.forx"'));
  appendFileSync(segment, '{"seq":99}\n');
  const verified = bench.ramet('verify', forked, '--json');
  expect(verified.status).toBe(6);
  expect(parseOnly(verified.stdout)).toMatchObject({ code: 'verification_failed', problems: [{ kind: 'log' }] });
  const refused = bench.ramet(
    'run',
    '--session',
    forked,
    '--model',
    bench.script('any', [{ text: 'x' }]),
    '--json',
    'go',
  );
  expect(refused.status).toBe(2);
  expect(parseOnly(refused.stdout)).toMatchObject({ code: 'log_damaged' });
  const { sessions } = JSON.parse(bench.ramet('sessions', '--json').stdout);
  expect(sessions.find(({ id }: { id: string }) => id === forked)).toMatchObject({ state: 'damaged' });
});
