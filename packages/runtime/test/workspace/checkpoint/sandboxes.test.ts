import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal } from '@ramet/core/codes';
import { REPOSITORY_STATES, runScript, takeFingerprint } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import { openSandbox, probeSandbox, type Sandbox } from '../../../src/sandbox/index.ts';
import { verifyCheckpoint } from '../../../src/workspace/checkpoint/index.ts';
import type { WorkspaceHandle } from '../../../src/workspace/types.ts';
import { makeSite, type Site } from './fixture.ts';

describe('without a sandbox', () => {
  const states = [
    'staged, unstaged, untracked, deleted, renamed and committed at once',
    'a merge with one conflict resolved and one open',
    'two stashes',
    'packed refs and a repository that was collected',
    'an amended and a dropped commit',
  ];
  it.each(states)("the agent's objects are read as bytes, with %s", async (name) => {
    const site = await makeSite();
    const workspace = await site.addRun('none');
    await runScript(workspace.path, REPOSITORY_STATES[name]?.make ?? '');
    const before = await takeFingerprint(workspace.path);
    const forbidden: Sandbox = { ...workspace.sandbox, run: () => Promise.reject(new Error('nothing is run')) };
    const record = await site.capture({ ...workspace, sandbox: forbidden });
    expect(await verifyCheckpoint({ project: site.project, checkpoint: record.id })).toEqual([]);
    const child = await site.restore(record.id);
    expect(await takeFingerprint(child)).toEqual(before);
    await runScript(child, 'git fsck --full');
  });

  it('a linked worktree of the child points into the child', async () => {
    const site = await makeSite();
    const workspace = await site.addRun('none');
    await runScript(
      workspace.path,
      'git worktree add -q -b side wt; echo w >>wt/a; git -C wt add a; echo x >wt/gitdir',
    );
    const record = await site.capture(workspace);
    const child = await site.restore(record.id);
    expect(readFileSync(join(child, 'wt/.git'), 'utf8')).toBe(`gitdir: ${child}/.git/worktrees/wt\n`);
    expect(readFileSync(join(child, '.git/worktrees/wt/gitdir'), 'utf8')).toBe(`${child}/wt/.git\n`);
    rmSync(workspace.path, { recursive: true });
    expect(await runScript(join(child, 'wt'), 'git status --porcelain')).toBe('M  a\n?? gitdir\n');
  });
});

/** The real sandbox on a workspace, or the reason there is none. */
async function confine(site: Site, workspace: WorkspaceHandle): Promise<WorkspaceHandle> {
  const scratch = join(workspace.path, '../scratch');
  mkdirSync(scratch, { recursive: true });
  const view = { workspace: workspace.path, scratch, readOnly: [site.project.baseGit], frozen: [] };
  const sandbox = await openSandbox('bubblewrap', view);
  if (isRefusal(sandbox)) throw new Error(sandbox.message);
  return { ...workspace, sandbox };
}

async function runInside({ sandbox }: WorkspaceHandle, script: string): Promise<void> {
  const outcome = await sandbox.run({
    argv: ['sh', '-ec', script],
    cwd: '',
    env: {
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a',
      GIT_EDITOR: 'true',
    },
    stdout: { kind: 'collect', limitBytes: 65536 },
    stderrLimitBytes: 65536,
  });
  if (outcome.exitCode !== 0) throw new Error(`${script}: ${Buffer.from(outcome.stderr)}`);
}

describe('under bubblewrap', () => {
  it('what the agent did inside is captured, and goes on in a restored child', async (ctx) => {
    if ((await probeSandbox()).kind === 'absent') ctx.skip('tool missing: bwrap');
    const site = await makeSite();
    const workspace = await confine(site, await site.addRun());
    await runInside(
      workspace,
      `echo x >>a; git commit -qam one; git tag -a -m t t; echo s >>b; git stash -q; git worktree add -q -b side wt
      ! git merge -q other; git status >/dev/null; echo n >n`,
    );
    const before = await takeFingerprint(workspace.path);
    const record = await site.capture(workspace);
    expect(record.operation).toBe('merge');
    expect(await verifyCheckpoint({ project: site.project, checkpoint: record.id })).toEqual([]);
    const child = await confine(site, site.handle(await site.restore(record.id)));
    expect(await takeFingerprint(child.path)).toEqual(before);
    await runInside(
      child,
      'echo r >c; git add c; git merge --continue; git stash pop -q; git -C wt status >/dev/null; git fsck --full',
    );
    const next = await site.capture(child, { previous: record.id });
    expect(await takeFingerprint(await site.restore(next.id))).toEqual(await takeFingerprint(child.path));
  });
});
