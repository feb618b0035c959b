import { spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_STATES, runScript, takeFingerprint } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import { restoreCheckpoint, verifyCheckpoint, workspaceDiffers } from '../../../src/workspace/checkpoint/index.ts';
import type { Project } from '../../../src/workspace/types.ts';
import { CARRY, makeRequest, makeSite } from './fixture.ts';

const listPacks = (project: Project) =>
  readdirSync(join(project.storeGit, 'objects/pack')).filter((name) => name.endsWith('.pack'));

describe('a capture', () => {
  it('of an unchanged workspace is the same checkpoint and adds nothing to the store', async () => {
    const site = await makeSite();
    const workspace = await site.addRun();
    await runScript(workspace.path, 'echo x >>a; git add a; echo n >n; git commit -qm x; echo .env >.env');
    const first = await site.capture(workspace);
    const packs = listPacks(site.project);
    const second = await site.capture(workspace, { previous: first.id });
    expect(listPacks(site.project)).toEqual(packs);
    await runScript(workspace.path, 'sleep 1.1; touch b; git status >/dev/null');
    const third = await site.capture(workspace, { previous: second.id });
    expect(second.id).toBe(first.id);
    expect(third.changed).toEqual({ added: 0, modified: 0, deleted: 0, paths: [] });
    expect(
      listPacks(site.project)
        .filter((pack) => !packs.includes(pack))
        .map((pack) => statSync(join(site.project.storeGit, 'objects/pack', pack)).size < 2000),
    ).not.toContain(false);
  });

  it('sees an edit of the same length with its old time put back', async () => {
    const site = await makeSite();
    const workspace = await site.addRun();
    const file = join(workspace.path, 'a');
    utimesSync(file, 1_000_000_000, 1_000_000_000);
    let previous = (await site.capture(workspace)).id;
    for (const text of ['b\n', 'c\n', 'd\n', 'e\n']) {
      writeFileSync(file, text);
      utimesSync(file, 1_000_000_000, 1_000_000_000);
      const next = await site.capture(workspace, { previous });
      expect(next.changed.paths).toEqual(['a']);
      previous = next.id;
    }
  });

  it.each([
    ['a mode', 'chmod 600 a'],
    ['a program bit', 'chmod +x a'],
    ['an empty folder', 'mkdir empty'],
    ['the mode of a folder', 'chmod 700 dir'],
    ['a tag', 'git tag new'],
    ['a setting', 'git config a.b c'],
    ['an index flag', 'git update-index --assume-unchanged a'],
    ['an ignored file', 'echo x >x.log'],
    ['a nested repository', 'git init -q dir/inner'],
    ['what a link says', 'ln -sfn b link'],
  ])('and a comparison see a change of %s alone', async (_, change) => {
    const site = await makeSite();
    const workspace = await site.addRun();
    const first = await site.capture(workspace);
    const request = { ...makeRequest(workspace), checkpoint: first.id };
    expect(await workspaceDiffers(request)).toBe(false);
    await runScript(workspace.path, change);
    expect(await workspaceDiffers(request)).toBe(true);
    const second = await site.capture(workspace, { previous: first.id });
    expect(second.id).not.toBe(first.id);
    expect(await takeFingerprint(await site.restore(second.id))).toEqual(await takeFingerprint(workspace.path));
  });

  it('writes everything anew when the store lost the previous checkpoint', async () => {
    const site = await makeSite();
    const workspace = await site.addRun();
    await runScript(workspace.path, 'echo x >>a; git commit -qam x; echo n >n');
    const first = await site.capture(workspace);
    rmSync(join(site.project.storeGit, 'objects/pack'), { recursive: true });
    mkdirSync(join(site.project.storeGit, 'objects/pack'));
    expect(await verifyCheckpoint({ project: site.project, checkpoint: first.id })).not.toEqual([]);
    await runScript(workspace.path, 'echo y >y');
    const second = await site.capture(workspace, { previous: first.id });
    expect(await verifyCheckpoint({ project: site.project, checkpoint: second.id })).toEqual([]);
    expect(await takeFingerprint(await site.restore(second.id))).toEqual(await takeFingerprint(workspace.path));
  });

  it('survives the loss of its cache, and one that is damaged', async () => {
    const site = await makeSite();
    const workspace = await site.addRun();
    const first = await site.capture(workspace);
    const path = join(workspace.privateFolder, 'stat-cache');
    const whole = readFileSync(path);
    const half = whole.subarray(0, whole.length / 2);
    const mixed = Buffer.concat([half, Buffer.alloc(whole.length - half.length, 1)]);
    for (const bytes of [Buffer.from(''), Buffer.from('{}'), Buffer.alloc(100, 1), half, mixed]) {
      writeFileSync(path, bytes);
      expect((await site.capture(workspace, { previous: first.id })).id).toBe(first.id);
      expect(readFileSync(path).length).toBeGreaterThan(half.length);
    }
  });

  it('of several runs into one store at once', async () => {
    const site = await makeSite();
    const runs = await Promise.all([1, 2, 3, 4].map(() => site.addRun()));
    await Promise.all(
      runs.map(({ path }, n) =>
        runScript(path, `echo ${n} >>a; git commit -qam ${n}; echo same >same; git tag -a -m t t${n % 2}`),
      ),
    );
    const records = await Promise.all(runs.map((run) => site.capture(run)));
    for (const [position, record] of records.entries()) {
      expect(await verifyCheckpoint({ project: site.project, checkpoint: record.id })).toEqual([]);
      const source = await takeFingerprint(runs[position]?.path ?? '');
      expect(await takeFingerprint(await site.restore(record.id))).toEqual(source);
    }
  });

  it('killed at any moment leaves nothing that stops the next one', async () => {
    const site = await makeSite();
    const workspace = await site.addRun();
    await runScript(
      workspace.path,
      'for i in $(seq 200); do echo $i >f$i; done; git add -A; git commit -qm many; echo t >>a; git tag -a -m t t',
    );
    const before = await takeFingerprint(workspace.path);
    const script = join(import.meta.dirname, 'capture-once.ts');
    for (const delay of [120, 200, 260, 320, 380, 440, 500, 600]) {
      const child = spawn(process.execPath, [script, JSON.stringify({ project: site.project, path: workspace.path })], {
        stdio: 'ignore',
        detached: true,
      });
      const ended = new Promise((resolve) => child.once('exit', resolve));
      await new Promise((resolve) => setTimeout(resolve, delay));
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It was faster.
      }
      await ended;
    }
    const record = await site.capture(workspace);
    expect(await verifyCheckpoint({ project: site.project, checkpoint: record.id })).toEqual([]);
    expect(await takeFingerprint(await site.restore(record.id))).toEqual(before);
  });
});

describe('a checkpoint', () => {
  it('outlives the history of the person and their repository', async () => {
    const site = await makeSite();
    const workspace = await site.addRun();
    await runScript(workspace.path, REPOSITORY_STATES['an amended and a dropped commit']?.make ?? '');
    const before = await takeFingerprint(workspace.path);
    const record = await site.capture(workspace);
    await runScript(
      site.project.checkout,
      `git checkout -q --orphan x; git commit -qm x; git branch | grep -v x | xargs git branch -qD; git reflog expire --expire=now --all; git gc -q --prune=now --aggressive`,
    );
    rmSync(site.project.checkout, { recursive: true });
    rmSync(workspace.path, { recursive: true });
    expect(await verifyCheckpoint({ project: site.project, checkpoint: record.id })).toEqual([]);
    const child = await site.restore(record.id);
    expect(await takeFingerprint(child)).toEqual(before);
    await runScript(child, 'git fsck --full --strict && git checkout -q "HEAD@{1}" && git gc -q && git fsck --full');
  });

  it('with a damaged or missing object is named by verify and not restored', async () => {
    const site = await makeSite();
    const workspace = await site.addRun();
    await runScript(workspace.path, 'head -c 5000 /dev/urandom >noise; echo x >>a; git commit -qam x');
    const record = await site.capture(workspace);
    const target = join(site.folder, 'target');
    const packs = join(site.project.storeGit, 'objects/pack');
    cpSync(packs, join(site.folder, 'packs'), { recursive: true });
    const [largest = ''] = listPacks(site.project).sort(
      (a, b) => statSync(join(packs, b)).size - statSync(join(packs, a)).size,
    );
    await runScript(
      packs,
      `chmod u+w ${largest}; printf XXXX | dd of=${largest} bs=1 seek=2500 conv=notrunc status=none`,
    );
    expect(await verifyCheckpoint({ project: site.project, checkpoint: record.id })).not.toEqual([]);
    const request = { project: site.project, checkpoint: record.id, target, carry: CARRY, carryFrom: [] };
    await expect(restoreCheckpoint(request)).rejects.toThrow();
    expect(readdirSync(site.folder).filter((name) => name.startsWith('target'))).toEqual([]);
    rmSync(packs, { recursive: true });
    renameSync(join(site.folder, 'packs'), packs);
    await restoreCheckpoint(request);
    await expect(restoreCheckpoint(request)).rejects.toMatchObject({ code: 'restore_failed' });
  });

  it("of a repository without a commit, and of one whose first is the agent's", async () => {
    const site = await makeSite({ script: 'git init -q -b trunk .' });
    const workspace = await site.addRun();
    await runScript(workspace.path, 'echo a >a; git add a; echo b >b');
    const unborn = await site.capture(workspace);
    expect(unborn).toMatchObject({ head: 'ref: refs/heads/trunk', commit: null });
    expect(await takeFingerprint(await site.restore(unborn.id))).toEqual(await takeFingerprint(workspace.path));
    await runScript(workspace.path, 'git commit -qm first');
    const first = await site.capture(workspace, { previous: unborn.id });
    expect(await takeFingerprint(await site.restore(first.id))).toEqual(await takeFingerprint(workspace.path));
  });

  it('of a repository with sha256 objects', async () => {
    const site = await makeSite({ objectFormat: 'sha256' });
    const workspace = await site.addRun();
    await runScript(
      workspace.path,
      'echo x >>a; git add a; git commit -qm x; git tag -a -m t t; echo y >>b; git add b; git stash -q; echo z >z',
    );
    const record = await site.capture(workspace);
    expect(record.id).toMatch(/^[0-9a-f]{64}$/);
    expect(await verifyCheckpoint({ project: site.project, checkpoint: record.id })).toEqual([]);
    const child = await site.restore(record.id);
    expect(await takeFingerprint(child)).toEqual(await takeFingerprint(workspace.path));
    await runScript(child, 'git stash pop -q && git fsck --full');
  });

  it('of a run on a shallow history', async () => {
    const site = await makeSite();
    const { baseGit } = site.project;
    await runScript(
      site.folder,
      `rm -rf '${baseGit}' checkout/.git/logs; git clone -q --bare --depth 1 --no-single-branch "file://$PWD/checkout" '${baseGit}'; cp '${baseGit}/shallow' checkout/.git/shallow`,
    );
    const workspace = await site.addRun();
    await runScript(
      workspace.path,
      'echo x >>a; git commit -qam x; echo y >>a; git commit -qam y; git reset -q --hard HEAD~1; echo z >>b',
    );
    const record = await site.capture(workspace);
    expect(await verifyCheckpoint({ project: site.project, checkpoint: record.id })).toEqual([]);
    const child = await site.restore(record.id);
    expect(await takeFingerprint(child)).toEqual(await takeFingerprint(workspace.path));
    await runScript(child, 'git fsck --full && git log >/dev/null');
  });
});
