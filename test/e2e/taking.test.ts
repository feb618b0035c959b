/** Looking at a session's work, taking it home, and removing it, in a person's repository. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Stage, skipWithoutSandbox } from './support/stage.ts';

let stage: Stage;
let session = '';

const WORK = 'echo two > committed.txt; git add .; git commit -qm agent; echo loose > loose.txt; rm base.txt';

beforeEach(skipWithoutSandbox);
beforeAll(async () => {
  stage = new Stage();
  // Skipped, not failed, where there is no sandbox: each test says so.
  session = await stage.turn(null, WORK).then(
    (turn) => turn.session,
    () => '',
  );
}, 60_000);
afterAll(() => stage.close());

/** git as the person runs it. */
function git(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, {
    cwd: stage.repository,
    env: stage.env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout;
}

describe("a session's work", { timeout: 120_000 }, () => {
  test('diff lists and prints what the agent changed', async () => {
    const { files } = (await stage.ask(['diff', session])) as { files: { shown: string; status: string }[] };
    expect(files.map(({ shown, status }) => [shown, status])).toEqual([
      ['base.txt', 'deleted'],
      ['committed.txt', 'added'],
      ['loose.txt', 'added'],
    ]);
    expect((await stage.ramet(['diff', session, '--stat'])).stdout).toContain('3 files');
    expect((await stage.ramet(['diff', session])).stdout).toContain('+loose');
  });

  test('a raw diff applies to the checkout with git apply', async () => {
    const patch = join(stage.area.folder, 'patch');
    writeFileSync(patch, (await stage.ramet(['diff', session, '--raw'])).stdout);
    expect(git('apply', '--check', patch)).toBe('');
  });

  test('diff of two sessions compares their last checkpoints', async () => {
    const child = await stage.fork(session);
    expect(await stage.ask(['diff', session, child])).toMatchObject({ files: [] });
    await stage.turn(child, 'echo x > more.txt');
    expect(await stage.ask(['diff', session, child])).toMatchObject({ files: [{ shown: 'more.txt' }] });
  });

  test('apply brings a ref and a branch, and leaves checkout, index and branches as they are', async () => {
    const look = () => [
      git('status', '--porcelain'),
      git('rev-parse', 'HEAD'),
      readFileSync(join(stage.repository, 'base.txt'), 'utf8'),
    ];
    const before = look();
    const applied = await stage.ask(['apply', session, '--branch', 'other-way']);
    expect(applied).toMatchObject({ id: session, ref: `refs/ramet/${session}`, branch: 'other-way', loose: true });
    const { ref, commit } = applied as { ref: string; commit: string };
    expect(git('rev-parse', ref, 'other-way').trim().split('\n')).toEqual([commit, commit]);
    expect(git('show', `${ref}:loose.txt`)).toBe('loose\n');
    expect(look()).toEqual(before);
    const again = await stage.ask(['apply', session, '--branch', 'other-way'], { exit: 3 });
    expect(again).toMatchObject({ code: 'branch_exists' });
  });

  test('gc keeps what sessions need, and frees the rest once they are removed', async () => {
    const { session: extra } = await stage.turn(null, 'seq 1 20000 > big.txt');
    expect(await stage.ramet(['gc'])).toMatchObject({ code: 0 });
    expect(await stage.ramet(['verify', '--all'])).toMatchObject({ code: 0 });
    expect(await stage.ramet(['remove', extra, '--yes'])).toMatchObject({ code: 0 });
    const { bytes, projects } = await stage.ask(['gc']);
    expect(projects).toHaveLength(1);
    expect(bytes).toBeGreaterThan(10_000);
    expect(await stage.ramet(['verify', '--all'])).toMatchObject({ code: 0 });
  });

  test('removal names work that came after the last checkpoint, and asks', async () => {
    const { session: worked } = await stage.turn(null, 'true');
    expect(await stage.ask(['remove', worked, '--dry-run'])).toMatchObject({ runs: [{ unsaved: [] }] });
    writeFileSync(join(stage.workspaceOf(worked), 'mine.txt'), 'mine');
    expect(await stage.ask(['remove', worked], { exit: 3 })).toMatchObject({
      code: 'would_lose_work',
      runs: [{ unsaved: [{ kind: 'workspace_changed' }] }],
    });
    const pruned = await stage.ask(['prune', '--to', '0', '--dry-run']);
    expect(pruned.kept).toContainEqual(expect.objectContaining({ id: worked }));
    const included = await stage.ask(['prune', '--to', '0', '--include-unsaved', '--dry-run']);
    expect(included).toMatchObject({ kept: [] });
  });
});
