/** Restores onto a file system that is really full: a small one in memory, with the stores on it too. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Failure } from '@ramet/core';
import { runScript } from '@ramet/testkit';
import { afterEach, beforeEach, expect, it, type TestContext, vi } from 'vitest';
import { restoreCheckpoint } from '../../../src/workspace/checkpoint/index.ts';
import { makeSite } from './fixture.ts';

let folder: string;
let mounted = false;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ramet-full-restore-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96m,mode=700', 'ramet-test', folder], { stdio: 'ignore' });
    mounted = true;
  } catch {
    mounted = false;
  }
});
afterEach(() => {
  vi.unstubAllEnvs();
  if (mounted) execFileSync('umount', ['-l', folder]);
  rmSync(folder, { recursive: true, force: true });
});

function needMount(context: TestContext): void {
  if (!mounted) context.skip('tool missing: mount (a file system of limited size needs root)');
}

/** Fills the file system until so many bytes are left. */
function fill(leave: number): string {
  const { bavail, bsize } = statfsSync(folder);
  const path = join(folder, 'filler');
  writeFileSync(path, Buffer.alloc(Math.max(0, bavail * bsize - leave)));
  return path;
}

/** 3000 small files, a large one, and commits only the agent has. */
const SCRIPT = `
mkdir many
for folder in $(seq 30); do mkdir many/$folder; for file in $(seq 100); do echo $folder $file > many/$folder/$file; done; done
git add -A; git commit -q -m many
head -c 3000000 /dev/urandom > large; head -c 900000 /dev/urandom > own; git add own; git commit -q -m own`;

it('fails with one message, leaves nothing, and succeeds when there is room', { timeout: 300_000 }, async (context) => {
  needMount(context);
  vi.stubEnv('TMPDIR', folder);
  const site = await makeSite();
  const run = await site.addRun();
  await runScript(run.path, SCRIPT);
  const { id } = await site.capture(run);
  const target = join(dirname(run.path), 'restored');
  const request = { project: site.project, checkpoint: id, target, carryFrom: [], carry: [] };
  const before = readdirSync(dirname(run.path));
  const packs = () => readdirSync(join(site.project.storeGit, 'objects', 'pack'));
  const packsBefore = packs();
  const codes: string[] = [];
  for (const kib of [0, 4, 64, 1000, 4000, 9000, 14_000, 15_000, 16_000, 16_500]) {
    const filler = fill(kib * 1024);
    const failure = await restoreCheckpoint(request).then(
      () => null,
      (error: unknown) => error,
    );
    rmSync(filler);
    if (failure === null) {
      rmSync(target, { recursive: true });
      continue;
    }
    expect(failure).toBeInstanceOf(Failure);
    const { code, message } = failure as Failure;
    codes.push(code);
    expect(message, `${kib} KiB`).toMatch(/^Checkpoint .* the disk is full .* free some space and run it again\.$/);
    expect(readdirSync(dirname(run.path)), `${kib} KiB`).toEqual(before);
    expect(packs(), `${kib} KiB`).toEqual(packsBefore);
  }
  expect(codes.length).toBeGreaterThan(4);
  expect(new Set(codes)).toEqual(new Set(['disk_failed']));
  await restoreCheckpoint(request);
  expect((await site.capture(site.handle(target))).id).toBe(id);
});
