import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal } from '@ramet/core/codes';
import { digestTree } from '@ramet/testkit';
import { describe, expect, test } from 'vitest';
import { applyCheckpoint } from '../../../src/workspace/apply/index.ts';
import { DEFAULT_CAPTURE_LIMITS } from '../../../src/workspace/types.ts';
import { describeUnsaved, type UnsavedReason } from '../../../src/workspace/unsaved/index.ts';
import { CARRY, makeSite, type Run, type Site } from '../diff/fixture.ts';

function unsaved(site: Site, run: Run, others: readonly Run[] = []): Promise<readonly UnsavedReason[]> {
  return describeUnsaved({
    project: site.project,
    workspace: run.workspace,
    checkpoint: run.checkpoints.at(-1)?.id ?? null,
    others: () => others.flatMap((other) => other.checkpoints.map(({ id }) => id)),
    carry: CARRY,
    captureIgnored: true,
    limits: DEFAULT_CAPTURE_LIMITS,
  });
}

async function kinds(site: Site, run: Run, others: readonly Run[] = []): Promise<string[]> {
  return (await unsaved(site, run, others)).map(({ kind }) => kind);
}

async function apply(site: Site, run: Run): Promise<void> {
  const { project } = site;
  const checkpoint = run.checkpoints.at(-1)?.id ?? '';
  const applied = await applyCheckpoint({ project, checkpoint, runId: run.id, base: run.base, takenMs: 0 });
  if (isRefusal(applied)) throw new Error(applied.message);
}

describe('describeUnsaved', () => {
  test('finds nothing in a run that changed nothing', async () => {
    const site = await makeSite();
    await site.script('echo secret > .env; echo l > x.log');
    const run = await site.startRun();
    await run.turn('true');
    const before = digestTree(site.checkout);
    expect(await unsaved(site, run)).toEqual([]);
    expect(digestTree(site.checkout)).toBe(before);
  });

  test('finds nothing where the person holds the same, in their checkout or their history', async () => {
    const site = await makeSite();
    await site.script('echo dirty > one; echo u > untracked');
    const run = await site.startRun({ allowDirty: true });
    await run.turn('true');
    expect(await unsaved(site, run)).toEqual([]);
    await run.turn('echo later > two');
    expect(await kinds(site, run)).toEqual(['files']);
    await site.script('echo later > two; git commit -qam later');
    expect(await unsaved(site, run)).toEqual([]);
  });

  test.each([
    ['an untracked file', 'echo u > u', 'files', ['u']],
    ['a tracked edit', 'echo e >> one', 'files', ['one']],
    ['an ignored file', 'echo e > .env', 'ignored_files', ['.env']],
    ['content that is only staged', 'echo s > two; git add two; git show HEAD:two > two', 'staged', null],
    ['a commit on a branch', 'git commit -q --allow-empty -m c', 'commits', null],
    ['a commit on a detached HEAD', 'git checkout -q --detach; git commit -q --allow-empty -m c', 'commits', null],
    [
      'a commit on another branch',
      'git checkout -q -b b; git commit -q --allow-empty -m c; git checkout -q main',
      'commits',
      null,
    ],
    [
      'a commit only a tag names',
      'git commit -q --allow-empty -m c; git tag -a -m t t; git reset -q --hard HEAD~1',
      'commits',
      null,
    ],
    ['a stash', 'echo s >> one; git stash -q', 'commits', null],
    ['an inner repository', 'git init -q inner; echo x > inner/f', 'nested', ['inner']],
  ])('names %s', async (_, script, kind, names) => {
    const site = await makeSite();
    const run = await site.startRun();
    await run.turn(script);
    const reasons = await unsaved(site, run);
    const reason = reasons.find((candidate) => candidate.kind === kind);
    expect(reason, JSON.stringify(reasons)).toBeDefined();
    if (names !== null) expect(reason?.names).toEqual(names);
    expect(reason?.message).not.toMatch(/undefined/);
  });

  test('names a merge in progress, and a commit that was amended only as it is now', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    await run.turn(`git checkout -q -b other; echo o > one; git commit -qam o; git checkout -q main; echo m > one; git commit -qam m
      git merge other >/dev/null || true`);
    expect(await kinds(site, run)).toEqual(expect.arrayContaining(['operation', 'commits']));
    const amended = await site.startRun();
    await amended.turn('echo a > one; git commit -qam a; git commit -q --amend -m b');
    const [commits] = await unsaved(site, amended);
    expect(commits).toMatchObject({ kind: 'commits', count: 1 });
  });

  test('notices what came after the last checkpoint, and a checkpoint that is missing', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    await run.turn('true');
    await run.turn('echo edited by hand > one', { log: false });
    expect(await kinds(site, run)).toEqual(['workspace_changed']);
    const none = await site.startRun();
    expect(await kinds(site, none)).toEqual(['no_checkpoint']);
    const gone = { ...run, checkpoints: [{ ...(run.checkpoints[0] as object), id: 'a'.repeat(40) }] } as unknown as Run;
    expect(await kinds(site, gone)).toEqual(['not_comparable']);
  });

  test('is content once the work was applied, as long as the refs stand', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    await run.turn('echo c > one; git commit -qam c; echo loose > loose; rm two');
    expect(await kinds(site, run)).toEqual(['commits', 'files']);
    await apply(site, run);
    expect(await unsaved(site, run)).toEqual([]);
    site.git('update-ref', '-d', `refs/ramet/${run.id}`);
    expect(await kinds(site, run)).toEqual(['commits']);
    site.git('gc', '-q', '--prune=now');
    expect(await kinds(site, run)).toEqual(['commits', 'files']);
  });

  test('is content while another run holds the same, and not when that one goes too', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    await run.turn(
      'echo c > one; git commit -qam c; echo loose > loose; echo e > .env; echo s > two; git add two; echo t > two',
    );
    const fork = await site.forkRun(run);
    expect(await unsaved(site, run, [fork])).toEqual([]);
    await fork.turn('git reset -q --hard HEAD~1; rm -f loose .env');
    expect(await unsaved(site, run, [fork])).toEqual([]);
    await run.turn('echo more > more');
    const [files, ...rest] = await unsaved(site, run, [fork]);
    expect(files).toMatchObject({ kind: 'files', names: ['more'] });
    expect(rest).toEqual([]);
    expect(await kinds(site, run)).toEqual(['commits', 'files', 'ignored_files', 'staged']);
  });

  test('counts everything private as unsaved when the repository is gone', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    await run.turn('echo c > one; git commit -qam c; echo loose > loose');
    await apply(site, run);
    rmSync(join(site.checkout, '.git'), { recursive: true });
    expect(await kinds(site, run)).toEqual(['commits', 'files']);
  });
});
