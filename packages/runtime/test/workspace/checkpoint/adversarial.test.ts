import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runScript } from '@ramet/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { readCheckpoint } from '../../../src/workspace/checkpoint/index.ts';
import { makeSite } from './fixture.ts';

it('captures what can be restored, and names a path too long for that', async () => {
  const site = await makeSite();
  const workspace = await site.addRun();
  const deep = Array.from({ length: 18 }, () => 'd'.repeat(200)).join('/');
  await runScript(workspace.path, `cd "$(pwd)"; mkdir -p '${deep}'; echo x >'${deep}/f'; echo y >kept`);
  const record = await site.capture(workspace);
  expect(record.leftOut.map(({ reason }) => reason)).toContain('not_supported');
  const child = await site.restore(record.id);
  expect((await runScript(child, 'cat kept')).trim()).toBe('y');
});

it('calls a git directory unusable whose index names millions of files', async () => {
  const site = await makeSite();
  const workspace = await site.addRun();
  const header = Buffer.from('DIRC\0\0\0\u0002\0\0\0\0', 'latin1');
  header.writeUInt32BE(0xffffffff, 8);
  writeFileSync(join(workspace.path, '.git/index'), header);
  const { id } = await site.capture(workspace);
  const { git } = (await readCheckpoint(site.project, id)).manifest;
  expect(git).toMatchObject({ state: 'unusable', reason: expect.stringContaining('4294967295 files') });
});

it.each(['mkfifo .git/index', 'ln -s HEAD .git/index'])(
  'does not take what git may use as an index for none: %s',
  async (script) => {
    const site = await makeSite();
    const workspace = await site.addRun();
    await runScript(workspace.path, `rm .git/index; ${script}`);
    const { id } = await site.capture(workspace);
    expect((await readCheckpoint(site.project, id)).manifest.git.state).toBe('unusable');
  },
);

/** Temporary folders of the tests are closed to the user the test becomes. */
function letOthersEnter(folder: string): void {
  if (!folder.includes('ramet-test-')) return;
  if ((statSync(folder).mode & 0o001) === 0) chmodSync(folder, 0o711);
  letOthersEnter(dirname(folder));
}

it.each(['closed', '.git'])('names what may not be read, and captures the rest: %s', async (closed) => {
  const site = await makeSite();
  const workspace = await site.addRun();
  await runScript(workspace.path, `echo secret >closed; echo y >kept; chmod 000 '${closed}'`);
  if (process.geteuid?.() === 0 && process.seteuid !== undefined) {
    await runScript(
      site.folder,
      `chmod 755 .; chown -R 65534 .; chmod -R go+rX .; chmod 000 runs/*/workspace/'${closed}'`,
    );
    letOthersEnter(dirname(site.folder));
    const { seteuid } = process;
    process.seteuid(65534);
    onTestFinished(() => seteuid.call(process, 0));
  }
  const record = await site.capture(workspace);
  expect(record.leftOut).toContainEqual(expect.objectContaining({ path: closed, reason: 'unreadable' }));
  expect((await readCheckpoint(site.project, record.id)).entries.map(({ path }) => path)).toContain('kept');
});
