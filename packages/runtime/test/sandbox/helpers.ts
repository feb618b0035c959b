import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRefusal } from '@ramet/core/codes';
import { expect, type TestContext } from 'vitest';
import {
  openSandbox,
  probeSandbox,
  type Sandbox,
  type SandboxCommand,
  type SandboxView,
} from '../../src/sandbox/index.ts';

/** A state folder with two runs, a project's repositories, and a secret where an agent must not get. */
export interface World {
  readonly folder: string;
  readonly workspace: string;
  readonly otherWorkspace: string;
  readonly baseGit: string;
  readonly view: SandboxView;
  remove(): void;
}

export const SECRET = 'the-secret-of-somebody-else';

export function makeWorld(more: Partial<SandboxView> = {}, parent: string = tmpdir()): World {
  const folder = mkdtempSync(join(parent, 'ramet-sandbox-'));
  const paths = {
    workspace: join(folder, 'runs', 'run-a', 'workspace'),
    otherWorkspace: join(folder, 'runs', 'run-b', 'workspace'),
    scratch: join(folder, 'runs', 'run-a', 'sandbox', 'tmp'),
    baseGit: join(folder, 'projects', 'p', 'base.git'),
    storeGit: join(folder, 'projects', 'p', 'store.git'),
  };
  for (const path of Object.values(paths)) mkdirSync(path, { recursive: true, mode: 0o700 });
  for (const path of [paths.otherWorkspace, paths.storeGit]) writeFileSync(join(path, 'secret.txt'), SECRET);
  writeFileSync(join(paths.baseGit, 'HEAD'), 'ref: refs/heads/main\n');
  const { workspace, scratch } = paths;
  const view = { workspace, scratch, readOnly: [paths.baseGit], frozen: [], hidden: [folder], ...more };
  return { folder, ...paths, view, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export async function skipWithoutSandbox(ctx: TestContext): Promise<void> {
  const probe = await probeSandbox();
  if (probe.kind === 'absent') ctx.skip('tool missing: bubblewrap');
}

export async function openConfined(view: SandboxView): Promise<Sandbox> {
  const sandbox = await openSandbox('bubblewrap', view);
  if (isRefusal(sandbox)) return expect.unreachable(sandbox.message);
  return sandbox;
}

export async function openFree(view: SandboxView): Promise<Sandbox> {
  const sandbox = await openSandbox('none', view);
  if (isRefusal(sandbox)) return expect.unreachable(sandbox.message);
  return sandbox;
}

/** Runs a shell script; `out` and `err` are its output as text. */
export async function runIn(sandbox: Sandbox, script: string, more: Partial<SandboxCommand> = {}) {
  const outcome = await sandbox.run({
    argv: ['bash', '-c', script],
    cwd: '',
    stdout: { kind: 'collect', limitBytes: 1_000_000 },
    stderrLimitBytes: 100_000,
    timeoutMs: 30_000,
    ...more,
  });
  return { ...outcome, out: Buffer.from(outcome.stdout).toString(), err: Buffer.from(outcome.stderr).toString() };
}

/** What Ramet leaves in the temporary folder while `work` runs; others' files there do not count. */
export async function leftoversOf(world: World, work: () => Promise<unknown>): Promise<string[]> {
  const before = process.env.TMPDIR;
  const folder = mkdtempSync(join(world.folder, 'tmp-'));
  process.env.TMPDIR = folder;
  try {
    await work();
    return readdirSync(folder);
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}
