/** Graph runs of the examples, as a person would run them: killed, gone on with, answered, mended, forked. */
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Ended, parseAnswer, ROOT } from './support/command.ts';
import { openStage, type Stage } from './support/stage.ts';
import { listRuns } from './support/store.ts';

const EXAMPLES = join(ROOT, 'examples/graphs');

interface Parked {
  readonly gates: readonly { readonly node: string; readonly offset: number; readonly question: string }[];
  readonly calls: readonly { readonly node: string; readonly offset: number; readonly reason: string }[];
}

/** A stage whose folder has the examples, and the file that their programs write to. */
function openExamples(ctx: Parameters<typeof openStage>[0]): { readonly stage: Stage; readonly sink: () => string[] } {
  const stage = openStage(ctx);
  cpSync(EXAMPLES, join(stage.repository, 'graphs'), { recursive: true });
  const path = join(stage.area.folder, 'sink');
  Object.assign(stage.env, { SINK: path });
  return { stage, sink: () => (existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : []) };
}

/** Waits until so many lines are there, or the process that writes them has ended. */
async function untilWritten(sink: () => readonly string[], lines: number, ended: Promise<Ended>): Promise<void> {
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  while (!isOver && sink().length < lines) await sleep(5);
}

/**
 * Goes on until only the gate is left to wait for: of each payment whose outcome nobody knows a person looks at the
 * account, where what happened is to be seen.
 */
async function settleCalls(stage: Stage, run: string, sink: () => readonly string[]): Promise<void> {
  for (;;) {
    const resumed = await stage.ask(['resume', run], { exit: 7 });
    const { gates, calls } = resumed.parked as Parked;
    if (calls.length === 0) {
      expect(resumed).toMatchObject({ run, status: 'parked' });
      expect(gates).toMatchObject([{ node: 'pay[3]/review', question: 'Pay 2500 to supplier-4?' }]);
      return;
    }
    for (const { node, offset, reason } of calls) {
      expect(reason).toBe('outcome_unknown');
      const id = `"supplier-${Number(/\[(\d+)\]/.exec(node)?.[1]) + 1}"`;
      const word = sink().some((line) => line.includes(id)) ? ['--happened', '--result', 'null'] : ['--did-not-happen'];
      await stage.ask(['resolve', run, '--offset', String(offset), ...word]);
    }
  }
}

const PAYMENTS = ['graph', 'run', 'graphs/payments.json', '--input', '@graphs/payments-input.json'];

describe.concurrent('graph runs', { timeout: 240_000 }, () => {
  test('every example is a document, and is named with what it shows', async (ctx) => {
    const { stage } = openExamples(ctx);
    const readme = readFileSync(join(EXAMPLES, 'README.md'), 'utf8');
    const documents = readdirSync(EXAMPLES).filter((name) => /^[^.]+(?<!-input)\.json$/.test(name));
    expect(documents.length).toBeGreaterThanOrEqual(5);
    for (const name of documents) {
      expect(await stage.ask(['graph', 'validate', `graphs/${name}`])).toMatchObject({ ok: true, problems: [] });
      expect(readme).toContain(`(${name})`);
    }
  });

  test('pays each of twelve payments once, though the run is killed in the middle of some', async (ctx) => {
    const { stage, sink } = openExamples(ctx);
    const running = stage.start([...PAYMENTS, '--json']);
    await untilWritten(sink, 4, running.ended);
    running.child.kill('SIGKILL');
    expect(await running.ended).toMatchObject({ signal: 'SIGKILL', stdout: '' });
    const [run = ''] = listRuns(stage.home);
    const done = stage.eventsOfType(run, 'map.item').length;
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(11);

    await settleCalls(stage, run, sink);
    const ended = await stage.ask(['answer', run, '--gate', 'pay[3]/review', 'true']);
    const suppliers = Array.from({ length: 12 }, (_, index) => `supplier-${index + 1}`);
    expect(ended).toMatchObject({ run, node: 'pay[3]/review', status: 'completed', output: suppliers });
    const paid = sink().map((line) => (JSON.parse(line) as { id: string }).id);
    expect(paid.sort()).toEqual([...suppliers].sort());
  });

  test('a parked run says the command that goes on, and that command does', async (ctx) => {
    const { stage, sink } = openExamples(ctx);
    const ended = await stage.ramet(PAYMENTS);
    expect(ended).toMatchObject({ code: 7, stdout: '' });
    const [, words = ''] = /answer it: ramet (.+)/.exec(ended.stderr) ?? [];
    expect(words).toMatch(/^answer [0-9a-f]{6,} --gate 'pay\[3\]\/review' true$/);
    const args = words
      .replaceAll("'", '')
      .split(' ')
      .map((word) => (word === 'true' ? 'false' : word));
    const answered = await stage.ramet(args);
    expect(answered).toMatchObject({ code: 0 });
    expect(JSON.parse(answered.stdout)).toHaveLength(12);
    expect(sink()).toHaveLength(11);
  });

  test('a recorded answer waits for whoever goes on, and another answer is refused', async (ctx) => {
    const { stage } = openExamples(ctx);
    const { run } = await stage.ask(PAYMENTS, { exit: 7 });
    const answer = ['answer', String(run)];
    expect(await stage.ask([...answer, 'false', '--no-start'])).toMatchObject({ run, started: false });
    expect(stage.eventsOfType(String(run), 'run.complete')).toEqual([]);
    expect(await stage.ask([...answer, '--gate', 'pay[3]/review', 'true'], { exit: 3 })).toMatchObject({
      code: 'gate_answered',
    });
    expect(await stage.ask(['resume', String(run)])).toMatchObject({ run, status: 'completed' });
  });

  test('a fold goes on until it is close enough', async (ctx) => {
    const { stage } = openExamples(ctx);
    const ended = await stage.ramet(['graph', 'run', 'graphs/root.json', '-'], { input: '{"number": 2}' });
    expect(ended).toMatchObject({ code: 0 });
    expect(Number(ended.stdout)).toBeCloseTo(Math.SQRT2, 5);
    const [run = ''] = listRuns(stage.home);
    expect(stage.eventsOfType(run, 'fold.pass').map(({ done }) => done)).toEqual([false, false, false, true]);
  });

  test('goes on from a failed node with a mended document, and not with one that changed what was done', async (ctx) => {
    const { stage } = openExamples(ctx);
    const failed = await stage.ask(['graph', 'run', 'graphs/report.json', '--title', 'march'], { exit: 2 });
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'node_failed' } });
    const fork = ['fork', String(failed.run), '--from-node', 'report', '--graph'];
    expect(await stage.ask([...fork, 'graphs/publish.json'], { exit: 3 })).toMatchObject({ code: 'graph_changed' });
    const preview = await stage.ask([...fork, 'graphs/report-mended.json', '--dry-run']);
    expect(preview).toMatchObject({ run: null, dryRun: true, wouldProceed: true, boundary: { node: 'report' } });
    const child = await stage.ask([...fork, 'graphs/report-mended.json']);
    expect(child).toMatchObject({ status: 'completed', output: { 'there were': [3, 4, 5] } });
    expect(child.forkedFrom).toEqual({ ...(preview.forkedFrom as object), time: expect.any(String) });
    expect(stage.eventsOfType(String(child.run), 'node.enter').map(({ node }) => node)).toEqual(['collect', 'report']);
    // The failed run itself can be gone on with too, and fails the same way.
    expect(await stage.ask(['resume', String(failed.run)], { exit: 2 })).toMatchObject({ status: 'failed' });
  });

  test('a child walks on with another input, or another output of what came before', async (ctx) => {
    const { stage, sink } = openExamples(ctx);
    const { run } = await stage.ask(['graph', 'run', 'graphs/publish.json', '--input', '{"topic":"otters"}']);
    const all = ['--acknowledge-writes', 'all'];
    const again = ['fork', String(run), '--from-node', 'publish', ...all, '--input', '{"topic":"seals"}'];
    // What was acknowledged is the recorded call: another input is another write, and asked about.
    expect(await stage.ask(again, { exit: 7 })).toMatchObject({
      status: 'parked',
      parked: { calls: [{ node: 'publish', reason: 'approval_pending' }] },
    });
    expect(await stage.ask([...again, '--on-ask', 'fail'], { exit: 3 })).toMatchObject({
      error: { code: 'approval_denied' },
    });
    const other = await stage.ramet([...again, '--yes', '--title', 'seals']);
    expect(other).toMatchObject({ code: 0 });
    const child = other.stdout.trim();
    expect(other.stdout).toMatch(/^[0-9a-f-]{36}\n$/);
    expect(other.stderr).toMatch(/acknowledged: \d+: it is made again if the child makes that very call;/);
    const facts = ['--output', 'research={"topic":"otters","facts":["swim"]}', '--yes'];
    const late = ['fork', String(run), '--from-node', 'publish', ...all, ...facts];
    expect(await stage.ask(late, { exit: 3 })).toMatchObject({ code: 'change_refused' });
    await stage.ask(['fork', String(run), '--from-node', 'notify', ...all, ...facts]);
    expect(sink()).toEqual(['{"facts":2,"topic":"otters"}', '{"topic":"seals"}', '{"facts":1,"topic":"otters"}']);
    const shown = await stage.ask(['show', child]);
    expect(shown).toMatchObject({ title: 'seals', forkedFrom: { changes: { input: { topic: 'seals' } } } });
    expect(await stage.ask(['runs', 'verify', child])).toMatchObject({ ok: true, forks: 1 });
  });

  test('a child that is not started holds the past alone, until it is resumed', async (ctx) => {
    const { stage, sink } = openExamples(ctx);
    const { run } = await stage.ask(['graph', 'run', 'graphs/publish.json', '--input', '{"topic":"otters"}']);
    const key = ['--idempotency-key', 'once'];
    const fork = ['fork', String(run), '--from-node', 'notify', '--acknowledge-writes', 'all', '--no-start', ...key];
    const made = await stage.ask(fork);
    expect(made).toMatchObject({ status: 'idle', idempotent: [{ node: 'notify' }], writes: [{ node: 'publish' }] });
    expect(await stage.ask(fork)).toMatchObject({ run: made.run, status: 'idle', repeated: true });
    const { runs } = (await stage.ask(['runs'])) as unknown as { runs: readonly Record<string, unknown>[] };
    expect(runs.find(({ id }) => id === made.run)).toMatchObject({
      state: 'idle',
      nodes: { entered: 1, done: 1 },
      forkedFrom: { id: run, fromNode: 'notify' },
    });
    expect(sink()).toHaveLength(1);
    expect(await stage.ask(['resume', String(made.run)])).toMatchObject({ status: 'completed' });
    expect(sink()).toHaveLength(2);
    const notes = readdirSync(join(stage.area.folder, 'sink.notes'));
    expect(notes, 'sent again with its key, a note is there once').toHaveLength(1);
  });

  test('a call of an agent that asks parks the run, and the command that is told lets it go', async (ctx) => {
    const { stage, sink } = openExamples(ctx);
    const write = (name: string, value: unknown): string => {
      const path = join(stage.area.folder, name);
      writeFileSync(path, JSON.stringify(value));
      return path;
    };
    const document = write('tell.json', {
      schema: 1,
      nodes: { tell: { kind: 'agent', prompt: 'tell them', tools: ['shell'] } },
    });
    const call = { name: 'shell', input: { command: `echo told >> '${stage.env.SINK}'` } };
    const script = write('replies.json', { tell: [{ toolCalls: [call] }, { text: 'They know.' }] });
    const args = ['graph', 'run', document, '--model', `scripted:${script}`, '--no-sandbox'];

    const alone = await stage.ask(args);
    expect(alone, 'nobody is there to answer').toMatchObject({ status: 'completed', output: 'They know.' });
    expect(sink()).toEqual([]);

    const parked = await stage.ramet([...args, '--on-ask', 'park']);
    expect(parked).toMatchObject({ code: 7, stdout: '' });
    const [, words = ''] = /allow it: ramet (.+)/.exec(parked.stderr) ?? [];
    expect(words).toMatch(/^resume [0-9a-f]{6,} --no-sandbox --yes$/);
    const [, id = ''] = words.split(' ');
    expect(await stage.ask(['show', id])).toMatchObject({
      state: 'parked',
      calls: [{ node: 'tell', tool: 'shell', reason: 'approval_pending' }],
      flags: ['--no-sandbox'],
    });
    expect(await stage.ramet(words.split(' '))).toMatchObject({ code: 0, stdout: 'They know.\n' });
    expect(sink()).toEqual(['told']);
    const { runs } = (await stage.ask(['usage'])) as unknown as { runs: readonly { own: { replies: number } }[] };
    expect(runs.map(({ own }) => own.replies)).toEqual([2, 2]);
  });

  test('streams every event of a run, then the answer', async (ctx) => {
    const { stage } = openExamples(ctx);
    const args = ['graph', 'run', 'graphs/root.json', '--input', '{"number":9}', '--events'];
    const ended = await stage.ramet(args);
    const lines = ended.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const answer = lines.at(-1);
    expect(answer).toMatchObject({ status: 'completed', run: expect.any(String) });
    expect(lines.slice(0, -1)).toEqual(stage.eventsOf(String(answer?.run)));
  });

  test('stops at Ctrl-C, keeps what it did, and goes on later', async (ctx) => {
    const { stage, sink } = openExamples(ctx);
    const running = stage.start([...PAYMENTS, '--json']);
    await untilWritten(sink, 2, running.ended);
    running.child.kill('SIGINT');
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 130, signal: null });
    const answer = parseAnswer(ended);
    expect(answer).toMatchObject({ status: 'interrupted' });
    const { runs } = (await stage.ask(['runs'])) as unknown as { runs: readonly Record<string, unknown>[] };
    expect(runs).toMatchObject([{ id: answer.run }]);
    expect(String(runs[0]?.state)).toMatch(/^(interrupted|idle|parked)$/);
    await settleCalls(stage, String(answer.run), sink);
    const done = await stage.ask(['answer', String(answer.run), 'false']);
    expect(done).toMatchObject({ status: 'completed' });
    expect(new Set(sink()).size).toBe(11);
    expect(sink()).toHaveLength(11);
  });
});
