import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { makeWorkbench, needSandbox, shell, type Workbench } from './processes.ts';

let bench: Workbench;
let session = '';

beforeEach(needSandbox);

beforeAll(() => {
  bench = makeWorkbench();
  const work = shell('echo two > committed.txt; git add .; git commit -qm agent; echo loose > loose.txt; rm file.txt');
  const outcome = bench.ramet('run', '--model', bench.script('work', [work, { text: 'Done.' }]), '--json', 'go');
  if (outcome.status === 0) session = JSON.parse(outcome.stdout).session;
}, 60_000);

function git(...args: readonly string[]): string {
  return spawnSync('git', args, { cwd: bench.project, env: bench.env, encoding: 'utf8' }).stdout;
}

test('diff lists and prints what the agent changed', () => {
  const { files } = JSON.parse(bench.ramet('diff', session, '--json').stdout);
  expect(files.map(({ shown, status }: { shown: string; status: string }) => [shown, status])).toEqual([
    ['committed.txt', 'added'],
    ['file.txt', 'deleted'],
    ['loose.txt', 'added'],
  ]);
  expect(bench.ramet('diff', session, '--stat').stdout).toContain('3 files');
  expect(bench.ramet('diff', session).stdout).toContain('+loose');
});

test('a raw diff applies to the checkout with git apply', () => {
  const patch = bench.ramet('diff', session, '--raw').stdout;
  writeFileSync(join(bench.home, 'patch'), patch);
  const { status, stderr } = spawnSync('git', ['apply', '--check', join(bench.home, 'patch')], {
    cwd: bench.project,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('diff of two sessions compares their last checkpoints', () => {
  const child = bench.ramet('fork', session).stdout.trim();
  expect(JSON.parse(bench.ramet('diff', session, child, '--json').stdout).files).toEqual([]);
  bench.ramet(
    'run',
    '--session',
    child,
    '--model',
    bench.script('more', [shell('echo x > more.txt'), { text: 'ok' }]),
    'go',
  );
  expect(JSON.parse(bench.ramet('diff', session, child, '--json').stdout).files).toMatchObject([{ shown: 'more.txt' }]);
});

test('apply brings a ref and a branch, and leaves checkout, index and branches as they are', () => {
  const before = [
    git('status', '--porcelain'),
    git('rev-parse', 'HEAD'),
    readFileSync(join(bench.project, 'file.txt'), 'utf8'),
  ];
  const applied = JSON.parse(bench.ramet('apply', session, '--branch', 'other-way', '--json').stdout);
  expect(applied).toMatchObject({ id: session, ref: `refs/ramet/${session}`, branch: 'other-way', loose: true });
  expect(git('rev-parse', applied.ref, 'other-way').trim().split('\n')).toEqual([applied.commit, applied.commit]);
  expect(git('show', `${applied.ref}:loose.txt`)).toBe('loose\n');
  expect([
    git('status', '--porcelain'),
    git('rev-parse', 'HEAD'),
    readFileSync(join(bench.project, 'file.txt'), 'utf8'),
  ]).toEqual(before);
  const again = bench.ramet('apply', session, '--branch', 'other-way', '--json');
  expect(again.status).toBe(3);
  expect(JSON.parse(again.stdout).code).toBe('branch_exists');
});

test('gc keeps what sessions need, and frees the rest once they are removed', () => {
  const extra = JSON.parse(
    bench.ramet('run', '--model', bench.script('big', [shell('seq 1 20000 > big.txt'), { text: 'ok' }]), '--json', 'go')
      .stdout,
  ).session;
  expect(bench.ramet('gc').status).toBe(0);
  expect(bench.ramet('verify', '--all').status).toBe(0);
  expect(bench.ramet('remove', extra, '--yes').status).toBe(0);
  const { bytes, projects } = JSON.parse(bench.ramet('gc', '--json').stdout);
  expect(projects).toHaveLength(1);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bench.ramet('verify', '--all').status).toBe(0);
});

test('removal names work that came after the last checkpoint, and asks', () => {
  const { session: worked } = JSON.parse(
    bench.ramet('run', '--model', bench.script('w', [shell('true'), { text: 'ok' }]), '--json', 'go').stdout,
  );
  const clean = JSON.parse(bench.ramet('remove', worked, '--dry-run', '--json').stdout);
  expect(clean.runs[0].unsaved).toEqual([]);
  writeFileSync(join(bench.home, 'runs', worked, 'workspace/mine.txt'), 'mine');
  const refused = bench.ramet('remove', worked, '--json');
  expect(refused.status).toBe(3);
  expect(JSON.parse(refused.stdout)).toMatchObject({
    code: 'would_lose_work',
    runs: [{ unsaved: [{ kind: 'workspace_changed' }] }],
  });
  const pruned = JSON.parse(bench.ramet('prune', '--to', '0', '--dry-run', '--json').stdout);
  expect(pruned.kept.map(({ id }: { id: string }) => id)).toContain(worked);
  const included = JSON.parse(bench.ramet('prune', '--to', '0', '--include-unsaved', '--dry-run', '--json').stdout);
  expect(included.kept).toEqual([]);
});
