import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isRefusal } from '@ramet/core/codes';
import { takeFingerprint } from '@ramet/testkit';
import { describe, expect, test } from 'vitest';
import { acquireLock } from '../../../src/store/index.ts';
import { verifyCheckpoint } from '../../../src/workspace/checkpoint/index.ts';
import { collectGarbage, type GarbageReport, listProjects, measureStore } from '../../../src/workspace/gc/index.ts';
import { makeSite, type Run, type Site } from '../diff/fixture.ts';

async function collect(site: Site, dryRun = false): Promise<GarbageReport> {
  const report = await collectGarbage({ home: site.home, project: site.project, dryRun });
  if (isRefusal(report)) throw new Error(report.message);
  return report;
}

function remove(site: Site, run: Run): void {
  rmSync(join(site.home, 'runs', run.id), { recursive: true });
}

function fsck(site: Site): string {
  const ids = readdirSync(join(site.home, 'runs'));
  expect(ids.length).toBeGreaterThan(0);
  return site.area.git(site.project.storeGit, 'fsck', '--full', '--no-dangling');
}

async function expectWhole(site: Site, runs: readonly Run[]): Promise<void> {
  for (const run of runs) {
    for (const { id } of run.checkpoints) {
      expect(await verifyCheckpoint({ project: site.project, checkpoint: id })).toEqual([]);
    }
  }
}

const MEGABYTE = 'head -c 1000000 /dev/urandom';

describe('collectGarbage', () => {
  test('keeps every checkpoint a log names, in one pack, and frees the rest', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    await run.turn(
      'echo 1 > one; git add one; git commit -qm c; echo s | git stash -q; echo staged > two; git add two; echo x > two',
    );
    await run.turn(`${'echo lost'} > lost; head -c 500000 /dev/urandom > big`, { log: false });
    await run.turn('rm -f big lost; git tag -a -m t v1; git commit -q --amend -m d; echo 3 > three');
    const fork = await site.forkRun(run);
    await fork.turn('echo f > fork');
    const prints = await takeFingerprint(run.workspace.path);
    const before = measureStore(site.project);
    const dry = await collect(site, true);
    expect(measureStore(site.project)).toEqual(before);
    const report = await collect(site);
    expect(report).toMatchObject({ runs: 2, checkpoints: 3, damaged: [], removed: false, packsAfter: 1 });
    expect(report.packsBefore).toBeGreaterThan(2);
    expect(report.bytesBefore - report.bytesAfter).toBeGreaterThan(450_000);
    expect(dry.bytesAfter).toBe(report.bytesAfter);
    expect(fsck(site)).toBe('');
    await expectWhole(site, [run, fork]);
    // The next capture builds on what is left, with the stat cache of before.
    await run.turn('echo 4 > four');
    await expectWhole(site, [run]);
    const child = await site.forkRun(fork);
    expect(readFileSync(join(child.workspace.path, 'fork'), 'utf8')).toBe('f\n');
    expect(prints.paths).toHaveProperty('three');
    expect(await collect(site)).toMatchObject({ packsAfter: 1, checkpoints: 4 });
    expect(existsSync(join(site.project.folder, 'gc.git'))).toBe(false);
  });

  test('is done when nothing is left to do', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    await run.turn('echo 1 > one');
    const first = await collect(site);
    const second = await collect(site);
    expect(second).toMatchObject({ bytesBefore: first.bytesAfter, bytesAfter: first.bytesAfter, packsBefore: 1 });
  });

  test('frees what runs share only with the last of them', async () => {
    const site = await makeSite();
    const parent = await site.startRun();
    await parent.turn(`${MEGABYTE} > shared`);
    const child = await site.forkRun(parent);
    await child.turn(`${MEGABYTE} > own`);
    const sibling = await site.forkRun(parent);
    await parent.turn(`${MEGABYTE} > own`);
    const full = await collect(site);
    expect(full.bytesAfter).toBeGreaterThan(3_000_000);
    remove(site, parent);
    const second = await collect(site);
    expect(full.bytesAfter - second.bytesAfter).toBeGreaterThan(1_000_000);
    expect(second.bytesAfter).toBeGreaterThan(2_000_000);
    await expectWhole(site, [child, sibling]);
    remove(site, child);
    const third = await collect(site);
    expect(third.bytesAfter).toBeGreaterThan(1_000_000);
    expect(third.bytesAfter).toBeLessThan(1_200_000);
    await expectWhole(site, [sibling]);
    remove(site, sibling);
    const last = await collect(site);
    expect(last).toMatchObject({ removed: true, runs: 0, bytesAfter: 0 });
    expect(listProjects(site.home)).toEqual([]);
  });

  test('outlives what the person does to their history, and what the agent does to its own', async () => {
    const site = await makeSite();
    await site.script('for i in 1 2 3; do echo $i > n; git add n; git commit -qm $i; done; git branch side; git tag t');
    const run = await site.startRun();
    const prints = [];
    for (const script of [
      'echo a > one; git commit -qam a',
      'git commit -q --amend -m b; git branch kept; echo l > loose',
      'git checkout -q -b gone; echo g > g; git add g; git commit -qm g; git checkout -q main; git branch -q -D gone',
      'git reset -q --hard HEAD~2; echo r > r; git add r; git commit -qm r; git rebase -q kept',
      'git gc -q --prune=now; git commit -q --allow-empty -m after-gc',
    ]) {
      await run.turn(script);
      prints.push(await takeFingerprint(run.workspace.path));
    }
    await site.script(`git checkout -q --orphan fresh; git commit -qm fresh; git branch -q -D main side; git tag -d t >/dev/null
      git reflog expire --expire=now --all; git gc -q --prune=now --aggressive; git repack -qadk; git prune
      git maintenance run 2>/dev/null || true`);
    await collect(site);
    expect(site.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/fresh');
    expect(site.git('fsck')).toBe('');
    await expectWhole(site, [run]);
    for (const [turn, print] of prints.entries()) {
      const upTo = { ...run, checkpoints: run.checkpoints.slice(0, turn + 1) };
      const child = await site.forkRun(upTo);
      const now = await takeFingerprint(child.workspace.path);
      expect({ ...now, git: null }).toEqual({ ...print, git: null });
      expect(site.area.git(child.workspace.path, 'fsck', '--connectivity-only', '--no-dangling')).toBe('');
    }
  });

  test('refuses while a log is damaged, was written by a newer version, or cannot be read, and says which', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    const other = await site.startRun();
    await run.turn('echo 1 > one');
    await other.turn('echo 2 > two');
    const log = join(site.home, 'runs', other.id, 'log', '000000000000.jsonl');
    const sound = readFileSync(log);
    const before = readdirSync(join(site.project.storeGit, 'objects/pack'));
    const lines = sound.toString().split('\n');
    for (const [text, code] of [
      [sound.toString().replace('"message"', '"massage"'), 'log_damaged'],
      [`garbage\n${lines.slice(1).join('\n')}`, 'log_damaged'],
    ] as const) {
      writeFileSync(log, text);
      const refused = await collectGarbage({ home: site.home, project: site.project, dryRun: false });
      expect(refused).toMatchObject({ kind: 'refusal', code, data: { id: other.id } });
    }
    rmSync(log);
    mkdirSync(log);
    const refused = await collectGarbage({ home: site.home, project: site.project, dryRun: false });
    expect(refused).toMatchObject({ kind: 'refusal', data: { id: other.id } });
    rmSync(log, { recursive: true });
    expect(readdirSync(join(site.project.storeGit, 'objects/pack'))).toEqual(before);
    writeFileSync(log, sound);
    await collect(site);
    await expectWhole(site, [run, other]);
  });

  test('counts a checkpoint that a torn line may still name', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    await run.turn('echo 1 > one');
    const torn = await run.turn('echo 2 > two', { log: false });
    const log = join(site.home, 'runs', run.id, 'log', '000000000000.jsonl');
    appendFileSync(log, `{"seq":99,"type":"workspace.checkpoint","id":"${torn.id}"`);
    await collect(site);
    expect(await verifyCheckpoint({ project: site.project, checkpoint: torn.id })).toEqual([]);
  });

  test('refuses while the project is in use', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    await run.turn('echo 1 > one');
    const held = await acquireLock(join(site.project.folder, 'lock'), 'shared');
    expect(await collectGarbage({ home: site.home, project: site.project, dryRun: false })).toMatchObject({
      code: 'owned_elsewhere',
    });
    held?.release();
    await collect(site);
  });

  test('drops nothing while a checkpoint is damaged, and names it', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    const first = await run.turn('echo 1 > one');
    const unnamed = await run.turn('echo lost > lost', { log: false });
    await run.turn('rm lost; echo 2 > two');
    const packs = join(site.project.storeGit, 'objects/pack');
    const holder = readdirSync(packs).find(
      (name) =>
        name.endsWith('.idx') &&
        site.area.git(site.project.storeGit, 'verify-pack', '-v', join(packs, name)).includes(first.id),
    );
    for (const suffix of ['.idx', '.pack', '.rev'])
      rmSync(join(packs, String(holder).replace('.idx', suffix)), { force: true });
    const report = await collect(site);
    expect(report.damaged).toContain(first.id);
    expect(site.area.git(site.project.storeGit, 'cat-file', '-t', unnamed.id)).toBe('commit');
    // Later turns go on, and take what is missing from the workspace.
    const next = await run.turn('echo 3 > three');
    expect(await verifyCheckpoint({ project: site.project, checkpoint: next.id })).toEqual([]);
  });

  test('leaves other projects alone', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    await run.turn('echo 1 > one');
    const lost = join(site.home, 'projects', 'no-project');
    mkdirSync(lost);
    await collect(site);
    expect(existsSync(lost)).toBe(true);
    expect(listProjects(site.home)).toEqual([site.project.id]);
  });

  test('goes on from whatever a killed one left', async () => {
    const site = await makeSite();
    const run = await site.startRun();
    await run.turn('echo 1 > one; git commit -qam 1');
    await run.turn('echo 2 > two');
    const packs = join(site.project.storeGit, 'objects/pack');
    const [first = ''] = readdirSync(packs).filter((name) => name.endsWith('.pack'));
    // A new pack moved in without its index, a pack half removed, temporary files, and the scratch repository.
    copyFileSync(join(packs, first), join(packs, `pack-${'a'.repeat(40)}.pack`));
    writeFileSync(join(packs, `pack-${'b'.repeat(40)}.rev`), 'half');
    for (const name of ['tmp_pack_x', 'tmp_idx_y']) writeFileSync(join(packs, name), 'half');
    mkdirSync(join(site.project.folder, 'gc.git', 'objects', 'pack'), { recursive: true });
    writeFileSync(join(site.project.folder, 'gc.git', 'objects', 'pack', 'pack-1.pack'), 'half');
    const report = await collect(site);
    expect(report.packsAfter).toBe(1);
    expect(
      readdirSync(packs)
        .map((name) => name.replace(/.*\./, ''))
        .sort(),
    ).toEqual(['idx', 'pack']);
    expect(existsSync(join(site.project.folder, 'gc.git'))).toBe(false);
    await expectWhole(site, [run]);
  });

  test('loses nothing when it is killed at any moment', { timeout: 120_000 }, async () => {
    const site = await makeSite();
    const run = await site.startRun();
    for (const turn of [1, 2, 3]) {
      await run.turn(`echo ${turn} > one; git commit -qam ${turn}; head -c 300000 /dev/urandom > big`);
      await run.turn('head -c 300000 /dev/urandom > garbage', { log: false });
    }
    const whole = await runChild(site, Number.POSITIVE_INFINITY);
    let killed = 0;
    for (let round = 0; round < 10; round += 1) {
      await run.turn(`echo round ${round} > one; head -c 100000 /dev/urandom > garbage`, { log: false });
      const { signal } = await runChild(site, (whole.elapsedMs * round) / 10);
      if (signal === 'SIGKILL') killed += 1;
    }
    // What one round loses no later one brings back.
    await expectWhole(site, [run]);
    // At least the one that was killed at once.
    expect(killed).toBeGreaterThan(0);
    expect(await collect(site)).toMatchObject({ packsAfter: 1, damaged: [] });
    expect(fsck(site)).toBe('');
    expect(statSync(site.project.storeGit).mode & 0o777).toBe(0o700);
  });
});

/** Runs a collection and kills it so long after it began. */
async function runChild(
  site: Site,
  afterMs: number,
): Promise<{ readonly elapsedMs: number; readonly signal: string | null }> {
  const script = fileURLToPath(new URL('./collect-child.ts', import.meta.url));
  const child = spawn(process.execPath, [script, site.home, site.project.id], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  const began = performance.now();
  child.stdout.resume();
  if (Number.isFinite(afterMs)) {
    await sleep(afterMs);
    child.kill('SIGKILL');
  }
  const [, signal] = await ended;
  return { elapsedMs: performance.now() - began, signal };
}
