/** Checkpoints and restores, against what git itself takes. */
import { appendFileSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal } from '@ramet/core';
import { openSandbox, type Sandbox } from '@ramet/runtime/sandbox';
import {
  type CaptureRequest,
  DEFAULT_CAPTURE_LIMITS,
  type Project,
  type WorkspaceHandle,
} from '@ramet/runtime/workspace';
import { createCheckout } from '@ramet/runtime/workspace/checkout';
import { captureCheckpoint, restoreCheckpoint, workspaceDiffers } from '@ramet/runtime/workspace/checkpoint';
import { openProject } from '@ramet/runtime/workspace/project';
import { type Area, makeRepository, runGit } from './area.ts';
import { measurePair, type Row } from './measure.ts';

/** One changed file in repositories of these sizes, captured and restored. */
export async function measureWorkspaces(area: Area, sizes: readonly number[]): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const files of sizes) rows.push(...(await measureSize(area, files)));
  return rows;
}

async function measureSize(area: Area, files: number): Promise<readonly Row[]> {
  const repository = makeRepository(join(area.folder, `files-${files}`), files);
  const home = join(area.folder, `home-${files}`);
  const project = await openProject({ stateFolder: home, cwd: repository });
  if (project === null || isRefusal(project)) throw new Error('no project');
  const workspace = await openHandle(home, project);
  const started = performance.now();
  let previous = await capture(workspace, null);
  const firstMs = performance.now() - started;
  const checkpoint = await measurePair({
    name: `checkpoint, 1 of ${files} files changed`,
    floor: 'git status',
    rounds: files > 20_000 ? 5 : 9,
    subject: async (round) => {
      appendFileSync(join(workspace.path, 'd0', 'f0.txt'), `round ${round}\n`);
      const started = performance.now();
      previous = await capture(workspace, previous);
      return performance.now() - started;
    },
    base: () => runGit(workspace.path, ['status', '--porcelain']),
    target: { ratio: 2.5 },
    note: () => `${packBytes(project)} bytes in store.git; the first, once a session: ${firstMs.toFixed(0)} ms`,
  });
  const check = await measurePair({
    name: `check at a turn's start, ${files} files`,
    floor: 'git status',
    rounds: files > 20_000 ? 5 : 9,
    subject: () => workspaceDiffers({ ...makeRequest(workspace, previous), checkpoint: previous }),
    base: () => runGit(workspace.path, ['status', '--porcelain']),
  });
  const restore = await measurePair({
    name: `restore ${files} files`,
    floor: 'git worktree add',
    rounds: files > 20_000 ? 3 : 5,
    subject: async (round) => {
      const target = join(home, `restored-${round}`);
      await restoreCheckpoint({ project, checkpoint: previous, target, carryFrom: [], carry: [] });
    },
    base: (round) =>
      runGit(repository, ['worktree', 'add', '-q', '--detach', join(area.folder, `tree-${files}-${round}`)]),
    target: { ratio: 1.5 },
  });
  return [checkpoint, check, restore];
}

async function openHandle(home: string, project: Project): Promise<WorkspaceHandle> {
  const path = join(home, 'workspace');
  const opened = await createCheckout({ project, target: path, allowDirty: false, captureIgnored: true });
  if (isRefusal(opened)) throw new Error(opened.message);
  const scratch = join(home, 'scratch');
  const privateFolder = join(home, 'private');
  for (const folder of [scratch, privateFolder]) mkdirSync(folder, { mode: 0o700 });
  const view = { workspace: path, scratch, readOnly: [project.baseGit], frozen: [] };
  const sandbox = await openSandbox('bubblewrap', view);
  return { project, path, privateFolder, sandbox: isRefusal(sandbox) ? await openUnsandboxed(view) : sandbox };
}

async function openUnsandboxed(view: Parameters<typeof openSandbox>[1]): Promise<Sandbox> {
  const sandbox = await openSandbox('none', view);
  if (isRefusal(sandbox)) throw new Error(sandbox.message);
  return sandbox;
}

async function capture(workspace: WorkspaceHandle, previous: string | null): Promise<string> {
  return (await captureCheckpoint(makeRequest(workspace, previous))).id;
}

function makeRequest(workspace: WorkspaceHandle, previous: string | null): CaptureRequest {
  return { workspace, previous, base: null, carry: [], captureIgnored: true, limits: DEFAULT_CAPTURE_LIMITS };
}

function packBytes(project: Project): number {
  const packs = join(project.storeGit, 'objects', 'pack');
  return readdirSync(packs).reduce((total, name) => total + statSync(join(packs, name)).size, 0);
}
