/** A project with its two repositories and run folders, for checkpoint tests; agent commands run plainly in the folder. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runScript, START_SCRIPT } from '@ramet/testkit';
import { onTestFinished } from 'vitest';
import type { SandboxKind } from '../../../src/sandbox/types.ts';
import { captureCheckpoint, restoreCheckpoint } from '../../../src/workspace/checkpoint/index.ts';
import type { CaptureRequest, CheckpointRecord, Project, WorkspaceHandle } from '../../../src/workspace/types.ts';
import { CARRY, makePlainSandbox, makeRequest } from './requests.ts';

export { CARRY, INSIDE, makeRequest } from './requests.ts';

export interface Site {
  readonly folder: string;
  readonly project: Project;
  /** A new run's workspace with the person's refs, borrowing from `base.git`. */
  addRun(kind?: SandboxKind): Promise<WorkspaceHandle>;
  /** A handle on a restored folder. */
  handle(path: string, kind?: SandboxKind): WorkspaceHandle;
  capture(workspace: WorkspaceHandle, more?: Partial<CaptureRequest>): Promise<CheckpointRecord>;
  restore(checkpoint: string, name?: string): Promise<string>;
}

export interface SiteOptions {
  /** Makes the person's checkout; absent, the standard one. */
  readonly script?: string;
  readonly objectFormat?: 'sha1' | 'sha256';
}

/** Makes a project from a person's repository. */
export async function makeSite(options: SiteOptions = {}): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'ramet-checkpoint-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const project = await makeProject(folder, options);
  let count = 0;
  const handle = (path: string, kind: SandboxKind = 'bubblewrap'): WorkspaceHandle => {
    const privateFolder = join(path, '..', 'private');
    mkdirSync(privateFolder, { recursive: true, mode: 0o700 });
    return { project, path, privateFolder, sandbox: makePlainSandbox(path, kind) };
  };
  const addFolder = (name: string): string => {
    count += 1;
    const run = join(folder, 'runs', `${name}-${count}`);
    mkdirSync(run, { recursive: true, mode: 0o700 });
    return join(run, 'workspace');
  };
  return {
    folder,
    project,
    handle,
    addRun: async (kind) => {
      const path = addFolder('run');
      await cloneWorkspace(project, path);
      return handle(path, kind);
    },
    capture: (workspace, more = {}) => captureCheckpoint(makeRequest(workspace, more)),
    restore: async (checkpoint, name = 'child') => {
      const target = addFolder(name);
      await restoreCheckpoint({ project, checkpoint, target, carryFrom: [], carry: CARRY });
      return target;
    },
  };
}

async function makeProject(folder: string, options: SiteOptions): Promise<Project> {
  const checkout = join(folder, 'checkout');
  const baseGit = join(folder, 'project', 'base.git');
  const storeGit = join(folder, 'project', 'store.git');
  mkdirSync(checkout);
  const format = options.objectFormat ?? 'sha1';
  const script = options.script ?? START_SCRIPT;
  await runScript(checkout, format === 'sha1' ? script : `export GIT_DEFAULT_HASH=${format}\n${script}`);
  await runScript(
    folder,
    `git clone -q --mirror checkout project/base.git; git init -q --bare --object-format=${format} --template= project/store.git`,
  );
  mkdirSync(join(storeGit, 'objects', 'info'), { recursive: true });
  writeFileSync(join(storeGit, 'objects', 'info', 'alternates'), `${baseGit}/objects\n`);
  return {
    id: 'project',
    folder: join(folder, 'project'),
    baseGit,
    storeGit,
    checkout,
    commonDir: join(checkout, '.git'),
  };
}

async function cloneWorkspace(project: Project, path: string): Promise<void> {
  mkdirSync(path, { mode: 0o700 });
  cpSync(project.commonDir, join(path, '.git'), { recursive: true, verbatimSymlinks: true });
  const objects = join(path, '.git', 'objects');
  rmSync(objects, { recursive: true });
  for (const name of ['index', 'hooks', 'COMMIT_EDITMSG'])
    rmSync(join(path, '.git', name), { recursive: true, force: true });
  for (const name of ['info', 'pack']) mkdirSync(join(objects, name), { recursive: true });
  writeFileSync(join(objects, 'info', 'alternates'), `${project.baseGit}/objects\n`);
  await runScript(path, 'if git rev-parse -q --verify HEAD >/dev/null; then git reset -q --hard; fi');
}
