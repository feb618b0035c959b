/** What the command answers, and its exit code, in each way a turn or a request can end. */
import { appendFileSync, chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAnswer } from './support/command.ts';
import { callShell, openStage, Stage, skipWithoutSandbox } from './support/stage.ts';

let stage: Stage;
let session: string;

beforeAll(async () => {
  stage = new Stage();
  const args = ['run', '--no-sandbox', '--model', stage.writeScript([{ text: 'Done.' }]), 'go'];
  ({ session } = (await stage.ask(args)) as { session: string });
});
afterAll(() => stage.close());

describe('refusals', { timeout: 60_000 }, () => {
  test.for([
    { argv: ['run', '--model', 'nobody/x', 'go'], exit: 1, code: 'unknown_model' },
    { argv: ['run'], exit: 1, code: 'nothing_to_do' },
    { argv: ['run', '--max-tokens', 'many', 'go'], exit: 1, code: 'bad_usage' },
    { argv: ['run', '--at', '3', 'go'], exit: 1, code: 'bad_usage' },
    { argv: ['frok'], exit: 1, code: 'bad_usage' },
    { argv: ['prune'], exit: 1, code: 'bad_usage' },
  ])('ramet $argv answers $code with exit code $exit', async ({ argv, exit, code }) => {
    const ended = await stage.ramet([...argv, '--json']);
    expect(ended).toMatchObject({ code: exit, stderr: '' });
    expect(parseAnswer(ended)).toMatchObject({ code, message: expect.any(String) });
  });

  test('verification names what does not hold, with exit code 6, and the log takes no more', async (ctx) => {
    const damaged = openStage(ctx, { damaged: true });
    const args = ['run', '--no-sandbox', '--model', damaged.writeScript([{ text: 'Done.' }]), 'go'];
    const { session: source } = (await damaged.ask(args)) as { session: string };
    const child = await damaged.fork(source);
    const log = join(damaged.folderOf(child), 'log');
    const segment = join(log, readdirSync(log).findLast((name) => name.endsWith('.jsonl')) ?? '');
    chmodSync(segment, 0o600);
    writeFileSync(segment, readFileSync(segment, 'utf8').replace('"type":"session.fork"', '"type":"session.forx"'));
    appendFileSync(segment, '{"seq":99}\n');
    expect(await damaged.ask(['verify', child], { exit: 6 })).toMatchObject({
      code: 'verification_failed',
      problems: [{ kind: 'log' }],
    });
    expect(await damaged.ask(['run', '--session', child, 'go'], { exit: 2 })).toMatchObject({ code: 'log_damaged' });
    const { sessions } = (await damaged.ask(['sessions'])) as { sessions: { id: string }[] };
    expect(sessions.find(({ id }) => id === child)).toMatchObject({ state: 'damaged' });
  });
});

describe('turns', { timeout: 120_000 }, () => {
  test('one that fails answers with the shape of a turn, the error, and exit code 2', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const answer = await stage.ask(['run', '--model', stage.writeScript([callShell('true')]), 'go'], { exit: 2 });
    expect(answer).toMatchObject({ end: { reason: 'failed' }, error: { code: 'script_exhausted' } });
  });

  test('one that reaches a limit ends with exit code 4', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const model = stage.writeScript([callShell('true'), callShell('true'), { text: 'Done.' }]);
    const answer = await stage.ask(['run', '--model', model, '--max-requests', '1', 'go'], { exit: 4 });
    expect(answer).toMatchObject({ end: { reason: 'limit' } });
  });

  test.for([
    { onAsk: 'deny', exit: 0, expected: { text: 'Done.', denied: [{ tool: 'shell' }] } },
    { onAsk: 'fail', exit: 3, expected: { end: { reason: 'failed' }, error: { code: 'approval_denied' } } },
    { onAsk: 'park', exit: 7, expected: { code: 'approval_pending' } },
  ])('--on-ask $onAsk: a question that nobody answers ends with exit code $exit', async ({ onAsk, exit, expected }) => {
    const model = stage.writeScript([callShell('true'), { text: 'Done.' }]);
    const args = ['run', '--model', model, '--no-sandbox', '--ask', 'shell', '--on-ask', onAsk, 'go'];
    expect(await stage.ask(args, { exit })).toMatchObject(expected);
  });

  test('--events prints every event of the turn and then the result, each a line of JSON', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const model = stage.writeScript([callShell('true'), { text: 'Done.' }]);
    const { stdout } = await stage.ramet(['run', '--model', model, '--events', 'go']);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const result = lines.pop();
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, index) => index));
    expect(lines.at(-1)).toMatchObject({ type: 'session.end', seq: result.end.offset });
  });

  test('a session another process runs is shown as running, and after Ctrl-C as stopped', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const model = stage.writeScript([callShell('touch started; exec sleep 300'), { text: 'never' }]);
    const running = stage.start(['run', '--session', session, '--model', model, 'wait']);
    try {
      while (!existsSync(join(stage.workspaceOf(session), 'started'))) await sleep(20);
      const refused = await stage.ask(['title', session, 'x'], { exit: 5 });
      expect(refused).toMatchObject({ code: 'owned_elsewhere', owner: { pid: running.child.pid } });
      expect(await findSession()).toMatchObject({ state: 'running' });
    } finally {
      running.child.kill('SIGINT');
    }
    expect(await running.ended).toMatchObject({ code: 130 });
    expect(await findSession()).toMatchObject({ state: 'idle', lastEnd: { reason: 'interrupted' } });
  });
});

async function findSession(): Promise<unknown> {
  const { sessions } = (await stage.ask(['sessions'])) as { sessions: { id: string }[] };
  return sessions.find(({ id }) => id === session);
}

test('answers the documented shapes', { timeout: 60_000 }, async (ctx) => {
  await skipWithoutSandbox(ctx);
  const own = openStage(ctx);
  const replies = [{ text: 'Done.', usage: { inputTokens: 10, outputTokens: 2 } }];
  const run = await own.play(null, replies);
  expect(run).toMatchObject({ turn: 1, text: 'Done.', usage: { inputTokens: 10, outputTokens: 2 }, denied: [] });
  expect(await own.ask(['show', run.session])).toMatchObject({
    id: run.session,
    title: 'go on',
    state: 'idle',
    workspace: { kind: 'git', path: own.workspaceOf(run.session), base: expect.stringMatching(/^[0-9a-f]{40}$/) },
    turns: [{ turn: 1, start: { offset: expect.any(Number) }, end: run.end, checkpoint: { id: expect.any(String) } }],
  });
  const fork = await own.ask(['fork', run.session]);
  expect(fork).toMatchObject({
    forkedFrom: { id: run.session, offset: run.end.offset },
    workspace: { kind: 'git', restorable: true, leftOut: [] },
    outstanding: [],
    bytes: { own: expect.any(Number), shared: 0 },
  });
  const dryRun = await own.ask(['fork', run.session, '--dry-run']);
  expect(dryRun).toEqual({ ...fork, session: null, dryRun: true, bytes: dryRun.bytes });
  const usage = await own.ask(['usage']);
  expect(usage).toMatchObject({ total: { inputTokens: 10, outputTokens: 2 } });
  expect(usage.sessions).toHaveLength(2);
  expect(await own.ask(['diff', run.session])).toMatchObject({ id: run.session, files: [] });
});

test('forks and runs in one step, and leaves no fork behind when the turn cannot begin', async (ctx) => {
  await skipWithoutSandbox(ctx);
  const own = openStage(ctx);
  const { session: source, end } = await own.play(null, [{ text: 'Done.' }]);
  await own.ask(['run', '--fork', source, '--model', 'nobody/x', 'other way'], { exit: 1 });
  expect((await own.ask(['sessions'])).sessions).toHaveLength(1);
  const model = own.writeScript([{ text: 'Done.' }]);
  const args = ['run', '--fork', source, '--at', String(end.offset), '--model', model, '--title', 'other', 'x'];
  expect(await own.ask(args)).toMatchObject({ turn: 2, text: 'Done.' });
  const { sessions } = await own.ask(['sessions']);
  expect(sessions).toMatchObject([{ title: 'other', forkedFrom: { id: source, offset: end.offset } }, { id: source }]);
});
