import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { auditStore } from '@ramet/testkit';
import { expect, test } from 'vitest';
import { BIN, makeWorkbench, needSandbox, shell } from './processes.ts';

/** The lines a person is promised to work as written. */
const SHOWN_BY = `
set -eu -o pipefail
ramet() { "$NODE" "$BIN" "$@"; }
S=$(ramet run --model scripted:one.json --json "make it pass" | jq -r .session)
ramet run --session $S --model scripted:two.json "now refactor"
K=$(ramet show $S --json | jq '.turns[0].end.offset')
C=$(ramet sessions fork $S --at $K)
cat $RAMET_HOME/runs/$C/log/*.jsonl | head -n $((K+1)) | cmp - <(cat $RAMET_HOME/runs/$S/log/*.jsonl | head -n $((K+1)))
cat $RAMET_HOME/runs/$C/log/*.jsonl | tail -n 1 | jq -e '.type=="session.fork" and .parent and .offset and .digest'
D=$(cat $RAMET_HOME/runs/$S/log/*.jsonl | sed -n "$((K+1))p" | tr -d '\\n' | sha256sum | cut -d' ' -f1)
cat $RAMET_HOME/runs/$C/log/*.jsonl | tail -n 1 | jq -e --arg d "$D" '.digest==$d'
ramet run --session $C --model scripted:three.json "try the other way"
ramet sessions --json | jq -e '.sessions[] | select(.id=="'$C'") | .forkedFrom.offset=='$K
ramet verify $C && ramet remove $S --yes && ramet verify $C
test "$(cat $RAMET_HOME/runs/$C/workspace/new.txt)" = hello
test ! -e $RAMET_HOME/runs/$S
`;

test('a session is run, forked at its first turn, gone on with, and outlives its parent', async (context) => {
  await needSandbox(context);
  if (spawnSync('jq', ['--version']).status !== 0) context.skip('tool missing: jq');
  const bench = makeWorkbench();
  const scripts = {
    'one.json': [shell('echo hello > new.txt; git add new.txt; git commit -qm agent'), { text: 'It passes.' }],
    'two.json': [shell('git reset -q --hard HEAD~1; rm file.txt'), { text: 'Refactored.' }],
    'three.json': [shell('cat new.txt'), { text: 'Another way.' }],
  };
  for (const [name, replies] of Object.entries(scripts))
    writeFileSync(join(bench.project, name), JSON.stringify(replies));
  const env = { ...bench.env, NODE: process.execPath, BIN };
  const outcome = spawnSync('bash', ['-c', SHOWN_BY], { cwd: bench.project, env, encoding: 'utf8' });
  expect(outcome.stderr).not.toMatch(/ramet: /);
  expect(outcome.status).toBe(0);
  expect(auditStore(bench.home)).toEqual([]);
});

test('answers the documented shapes', async (context) => {
  await needSandbox(context);
  const bench = makeWorkbench();
  const model = bench.script('one', [{ text: 'Done.', usage: { inputTokens: 10, outputTokens: 2 } }]);
  const run = JSON.parse(bench.ramet('run', '--model', model, '--json', 'go').stdout);
  expect(run).toMatchObject({
    turn: 1,
    end: { reason: 'completed' },
    text: 'Done.',
    usage: { inputTokens: 10, outputTokens: 2 },
    denied: [],
  });
  const show = JSON.parse(bench.ramet('show', run.session, '--json').stdout);
  expect(show).toMatchObject({
    id: run.session,
    title: 'go',
    workspace: {
      kind: 'git',
      path: join(bench.home, 'runs', run.session, 'workspace'),
      base: expect.stringMatching(/^[0-9a-f]{40}$/),
    },
    turns: [{ turn: 1, start: { offset: expect.any(Number) }, end: run.end, checkpoint: { id: expect.any(String) } }],
  });
  const fork = JSON.parse(bench.ramet('fork', run.session, '--json').stdout);
  expect(fork).toMatchObject({
    forkedFrom: { id: run.session, offset: run.end.offset },
    workspace: { kind: 'git', restorable: true, leftOut: [] },
    outstanding: [],
    bytes: { own: expect.any(Number), shared: 0 },
  });
  const dryRun = JSON.parse(bench.ramet('fork', run.session, '--dry-run', '--json').stdout);
  expect(dryRun).toEqual({ ...fork, session: null, dryRun: true, bytes: dryRun.bytes });
  const usage = JSON.parse(bench.ramet('usage', '--json').stdout);
  expect(usage.total).toMatchObject({ inputTokens: 10, outputTokens: 2 });
  expect(usage.sessions).toHaveLength(2);
  const diff = JSON.parse(bench.ramet('diff', run.session, '--json').stdout);
  expect(diff).toMatchObject({ id: run.session, files: [] });
});

test('forks and runs in one step, and leaves no fork behind when the turn cannot begin', async (context) => {
  await needSandbox(context);
  const bench = makeWorkbench();
  const model = bench.script('one', [{ text: 'Done.' }]);
  const { session, end } = JSON.parse(bench.ramet('run', '--model', model, '--json', 'go').stdout);
  const failed = bench.ramet('run', '--fork', session, '--model', 'nobody/x', '--json', 'other way');
  expect(failed.status).toBe(1);
  expect(JSON.parse(bench.ramet('sessions', '--json').stdout).sessions).toHaveLength(1);
  const forked = bench.ramet(
    'run',
    '--fork',
    session,
    '--at',
    String(end.offset),
    '--model',
    model,
    '--title',
    'other',
    '--json',
    'x',
  );
  expect(JSON.parse(forked.stdout)).toMatchObject({ turn: 2, text: 'Done.' });
  const [child] = JSON.parse(bench.ramet('sessions', '--json').stdout).sessions;
  expect(child).toMatchObject({ title: 'other', forkedFrom: { id: session, offset: end.offset } });
});
