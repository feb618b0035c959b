/** How the agent's new objects come into the store: as few commands as do it, and the same checkpoint whichever way. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runScript, takeFingerprint } from '@ramet/testkit';
import { expect, it } from 'vitest';
import { verifyCheckpoint } from '../../../src/workspace/checkpoint/index.ts';
import type { WorkspaceHandle } from '../../../src/workspace/types.ts';
import { makeSite, type Site } from './fixture.ts';

/** A handle that counts what its sandbox runs. */
function countRuns(workspace: WorkspaceHandle): { readonly counted: WorkspaceHandle; readonly runs: () => number } {
  let count = 0;
  const { sandbox } = workspace;
  const run: typeof sandbox.run = (command) => {
    count += 1;
    return sandbox.run(command);
  };
  return { counted: { ...workspace, sandbox: { ...sandbox, run } }, runs: () => count };
}

/** What a project has that was opened on a repository: all of it in packs. */
async function packBase({ project }: Site): Promise<void> {
  await runScript(project.baseGit, 'git repack -adq && git prune-packed');
}

async function expectRestored(site: Site, workspace: WorkspaceHandle, checkpoint: string): Promise<void> {
  expect(await verifyCheckpoint({ project: site.project, checkpoint })).toEqual([]);
  const child = await site.restore(checkpoint);
  expect(await takeFingerprint(child)).toEqual(await takeFingerprint(workspace.path));
  await runScript(child, 'git fsck --full');
}

it.each(['staged as it is', 'staged and changed again'])('nothing runs for a file that is %s', async (how) => {
  const site = await makeSite();
  await packBase(site);
  const workspace = await site.addRun();
  const first = await site.capture(workspace);
  await runScript(workspace.path, 'echo staged >>a; git add a; echo new >new; git add new');
  if (how !== 'staged as it is') await runScript(workspace.path, 'echo again >>a; rm new');
  const { counted, runs } = countRuns(workspace);
  const second = await site.capture(counted, { previous: first.id });
  expect(runs()).toBe(0);
  await expectRestored(site, workspace, second.id);
});

it('one command runs for commits, and two where a reflog names what is gone', async () => {
  const site = await makeSite();
  await packBase(site);
  const workspace = await site.addRun();
  const first = await site.capture(workspace);
  await runScript(workspace.path, 'echo one >>a; git commit -qam one; echo two >>a; git commit -qam two');
  const { counted, runs } = countRuns(workspace);
  const second = await site.capture(counted, { previous: first.id });
  expect(runs()).toBe(1);
  await expectRestored(site, workspace, second.id);
  await runScript(workspace.path, 'echo three >>a; git commit -qam three');
  const gone = 'f'.repeat(40);
  writeFileSync(join(workspace.path, '.git/ORIG_HEAD'), `${gone}\n`);
  const third = await site.capture(counted, { previous: second.id });
  expect(runs()).toBe(4);
  await expectRestored(site, workspace, third.id);
});

it('a checkpoint is the same one whether base.git has its objects loose, packed, or borrows them', async () => {
  const site = await makeSite();
  const workspace = await site.addRun();
  await runScript(workspace.path, 'echo staged >>a; git add a; git update-index --index-version 4');
  const forget = () => ({ ...workspace, privateFolder: mkdtempSync(join(site.folder, 'private-')) });
  const loose = await site.capture(forget());
  await packBase(site);
  const packed = await site.capture(forget());
  await runScript(site.project.baseGit, 'cp -r objects ../borrowed; rm -f objects/pack/*');
  writeFileSync(join(site.project.baseGit, 'objects/info/alternates'), `${join(site.folder, 'project/borrowed')}\n`);
  const borrowed = await site.capture(forget());
  expect([packed, borrowed]).toEqual([loose, loose]);
});
