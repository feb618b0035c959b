import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runScript, takeFingerprint } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import {
  listChanges,
  readCheckpoint,
  readCheckpointFile,
  readCheckpointRefs,
  restoreCheckpoint,
  workspaceDiffers,
} from '../../../src/workspace/checkpoint/index.ts';
import { DEFAULT_CAPTURE_LIMITS } from '../../../src/workspace/types.ts';
import { CARRY, makeRequest, makeSite } from './fixture.ts';

const SMALL = {
  ...DEFAULT_CAPTURE_LIMITS,
  ...{ untrackedFileBytes: 1000, untrackedTotalBytes: 2500, ignoredFileBytes: 100, ignoredTotalBytes: 250 },
};

describe('what a checkpoint leaves out', () => {
  it('is untracked and ignored files over their limits, in path order, and never a tracked one', async () => {
    const site = await makeSite();
    const workspace = await site.addRun();
    await runScript(
      workspace.path,
      `for i in 1 2 3; do head -c 900 /dev/zero >u$i; head -c 90 /dev/zero >i$i.log; done; head -c 1001 /dev/zero >u-big; head -c 101 /dev/zero >i-big.log
      head -c 5000 /dev/zero >forced.log; git add -f forced.log; head -c 6000 /dev/zero >a`,
    );
    const record = await site.capture(workspace, { limits: SMALL });
    expect(record.leftOut).toEqual([
      { path: 'i-big.log', reason: 'too_large', bytes: 101 },
      { path: 'i3.log', reason: 'over_total', bytes: 90 },
      { path: 'u-big', reason: 'too_large', bytes: 1001 },
      { path: 'u3', reason: 'over_total', bytes: 900 },
    ]);
    const child = await site.restore(record.id);
    expect(statSync(join(child, 'forced.log')).size).toBe(5000);
    expect(statSync(join(child, 'a')).size).toBe(6000);
    expect(existsSync(join(child, 'u2')) && existsSync(join(child, 'i2.log'))).toBe(true);
    expect(existsSync(join(child, 'u3')) || existsSync(join(child, 'i3.log'))).toBe(false);
    // A restored workspace lacks what was left out, and is no other for that; something new that would be, is.
    const request = { ...makeRequest(site.handle(child), { limits: SMALL }), checkpoint: record.id };
    expect(await workspaceDiffers(request)).toBe(false);
    await runScript(child, 'head -c 1002 /dev/zero >another-big');
    expect(await workspaceDiffers(request)).toBe(true);
  });

  it('is every ignored file when those are not captured, and their content reaches no object', async () => {
    const site = await makeSite();
    const workspace = await site.addRun();
    await runScript(
      workspace.path,
      'echo SECRET-TOKEN >.env; mkdir build; echo SECRET-TOKEN >build/o; echo plain >plain',
    );
    const record = await site.capture(workspace, { captureIgnored: false });
    expect(record.leftOut.map(({ path, reason }) => `${path} ${reason}`)).toEqual(['.env ignored', 'build/o ignored']);
    const dump = `git -C '${site.project.storeGit}' cat-file --batch-all-objects --batch | grep -c SECRET-TOKEN || true`;
    expect((await runScript(site.folder, dump)).trim()).toBe('0');
    const child = await site.restore(record.id);
    expect(existsSync(join(child, '.env'))).toBe(false);
    expect(existsSync(join(child, 'plain'))).toBe(true);
  });

  it('is a carried folder where it is ignored and holds nothing tracked', async () => {
    const site = await makeSite();
    const workspace = await site.addRun();
    await runScript(
      workspace.path,
      `mkdir -p node_modules/p sub/node_modules target vendor; echo m >node_modules/p/m; echo s >sub/node_modules/s
      echo kept >target/kept; echo v >vendor/v; echo vendor >>.gitignore; git add -f vendor/v; echo w >vendor/w`,
    );
    const record = await site.capture(workspace);
    expect(record.leftOut).toEqual([
      { path: 'node_modules', reason: 'carried' },
      { path: 'sub/node_modules', reason: 'carried' },
    ]);
    const target = join(site.folder, 'carried-child');
    const carryFrom = [{ from: 'parent' as const, path: workspace.path }];
    const restored = await restoreCheckpoint({
      project: site.project,
      checkpoint: record.id,
      target,
      carry: CARRY,
      carryFrom,
    });
    expect(restored.carried.map(({ path, from }) => `${path} ${from}`)).toEqual([
      'node_modules parent',
      'sub/node_modules parent',
    ]);
    expect(await takeFingerprint(target)).toEqual(await takeFingerprint(workspace.path));
    const alone = await site.restore(record.id);
    expect(existsSync(join(alone, 'node_modules'))).toBe(false);
    expect(readFileSync(join(alone, 'vendor/w'), 'utf8')).toBe('w\n');
  });

  it('is pipes and sockets, without waiting for them', async () => {
    const site = await makeSite();
    const workspace = await site.addRun();
    await runScript(workspace.path, 'mkfifo pipe; mkdir q; mkfifo "q/$(printf "\\377")"; echo x >x');
    const record = await site.capture(workspace);
    expect(record.leftOut).toEqual([
      { path: 'pipe', reason: 'special_file' },
      { path: 'q/\\xff', reason: 'special_file' },
    ]);
    expect(existsSync(join(await site.restore(record.id), 'q'))).toBe(true);
  });

  it('is the long tail of a long list, counted', async () => {
    const site = await makeSite();
    const workspace = await site.addRun();
    await runScript(workspace.path, 'mkdir build; for i in $(seq 300); do echo $i >build/$i; done');
    const record = await site.capture(workspace, { captureIgnored: false });
    expect(record.leftOut).toHaveLength(200);
    expect(record.leftOutCount).toBe(300);
  });
});

it('a sparse file of a gigabyte takes neither the disk of the store nor of the child', async () => {
  const site = await makeSite();
  const workspace = await site.addRun();
  await runScript(workspace.path, 'truncate -s 1G sparse; truncate -s 40M small; printf end >>small');
  const record = await site.capture(workspace, {
    limits: { ...DEFAULT_CAPTURE_LIMITS, untrackedFileBytes: 64 * 2 ** 20 },
  });
  expect(record.leftOut).toEqual([{ path: 'sparse', reason: 'too_large', bytes: 2 ** 30 }]);
  const child = await site.restore(record.id);
  const { size, blocks } = statSync(join(child, 'small'));
  expect(size).toBe(40 * 2 ** 20 + 3);
  expect(blocks * 512).toBeLessThan(2 ** 20);
  expect(Number(await runScript(site.project.storeGit, 'du -sk . | cut -f1'))).toBeLessThan(4096);
  expect((await takeFingerprint(child)).paths.small).toBe((await takeFingerprint(workspace.path)).paths.small);
});

describe('reading a checkpoint', () => {
  it('gives its files, refs and changes', async () => {
    const site = await makeSite();
    const workspace = await site.addRun();
    const base = (await runScript(workspace.path, 'git rev-parse HEAD')).trim();
    await runScript(
      workspace.path,
      'echo x >>a; rm b; git add -A; git commit -qm x; echo n >n; chmod +x c; git tag -a -m t t; git stash list',
    );
    const record = await site.capture(workspace, { base });
    expect(record.changed).toEqual({ added: 1, modified: 2, deleted: 1, paths: ['a', 'b', 'c', 'n'] });
    const contents = await readCheckpoint(site.project, record.id);
    const { commit, refs, head } = await readCheckpointRefs(site.project, contents);
    expect(head).toBe('ref: refs/heads/dev');
    expect(refs.get('refs/heads/dev')).toBe(commit);
    expect(commit).toBe((await runScript(workspace.path, 'git rev-parse HEAD')).trim());
    expect(refs.get('refs/tags/t')).toBe((await runScript(workspace.path, 'git rev-parse t')).trim());
    expect((await readCheckpointFile(site.project, contents, 'n'))?.bytes.toString()).toBe('n\n');
    expect(await readCheckpointFile(site.project, contents, 'b')).toBe(null);
    const changes = await listChanges(
      site.project,
      { kind: 'commit', id: base },
      { kind: 'checkpoint', id: record.id },
    );
    expect(changes.map(({ path, status }) => `${status} ${path}`)).toEqual([
      'modified a',
      'deleted b',
      'modified c',
      'added n',
    ]);
    await runScript(workspace.path, 'echo y >>a; rm n; git add -N c');
    const next = await site.capture(workspace, { base, previous: record.id });
    expect(next.changed).toEqual({ added: 0, modified: 1, deleted: 1, paths: ['a', 'n'] });
  });

  it('of a name the store does not have is checkpoint_missing', async () => {
    const site = await makeSite();
    for (const id of [
      '0'.repeat(40),
      'HEAD',
      '--help',
      (await runScript(site.project.checkout, 'git rev-parse HEAD')).trim(),
    ]) {
      await expect(readCheckpoint(site.project, id)).rejects.toMatchObject({ code: 'checkpoint_missing' });
      await expect(site.restore(id)).rejects.toMatchObject({ code: 'checkpoint_missing' });
    }
  });
});
