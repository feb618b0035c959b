import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runScript, takeFingerprint } from '@ramet/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { workspaceDiffers } from '../../../src/workspace/checkpoint/index.ts';
import { makeRequest, makeSite } from './fixture.ts';

const MODES = 'echo s >script; chmod 755 script; echo p >private; chmod 600 private; echo g >shared; chmod 664 shared';

function setUmask(mask: number): void {
  const before = process.umask(mask);
  onTestFinished(() => void process.umask(before));
}

it.each([0o077, 0o002, 0o000])('restores the modes that were captured under umask %o', async (mask) => {
  const site = await makeSite();
  const workspace = await site.addRun();
  await runScript(workspace.path, `${MODES}; ln -s script pointer; mkdir -m 770 folder; git add script`);
  const record = await site.capture(workspace);
  setUmask(mask);
  const child = await site.restore(record.id);
  for (const path of ['script', 'private', 'shared', 'folder', '.git/HEAD', '.git/index', '.git/refs']) {
    expect([path, lstatSync(join(child, path)).mode]).toEqual([path, lstatSync(join(workspace.path, path)).mode]);
  }
  expect(await workspaceDiffers({ ...makeRequest(site.handle(child)), checkpoint: record.id })).toBe(false);
});

it.each(['core.fileMode', 'core.symlinks'])(
  'captures what is there, whatever the agent sets %s to',
  async (setting) => {
    const site = await makeSite();
    const workspace = await site.addRun();
    await runScript(
      workspace.path,
      `git config ${setting} false; ${MODES}; ln -s script pointer; git add script pointer`,
    );
    const before = await takeFingerprint(workspace.path);
    const child = await site.restore((await site.capture(workspace)).id);
    expect(await takeFingerprint(child)).toEqual(before);
    expect(lstatSync(join(child, 'pointer')).isSymbolicLink()).toBe(true);
    expect(statSync(join(child, 'script')).mode & 0o777).toBe(0o755);
  },
);
