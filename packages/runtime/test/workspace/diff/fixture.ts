/** A person's repository, its project in a state folder, and runs whose turns leave checkpoints and logs. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RunId } from '@ramet/core';
import { isRefusal } from '@ramet/core/codes';
import {
  buildSession,
  encodeLog,
  makeScratchArea,
  makeTestId,
  runScript,
  type ScratchArea,
  writeLogFolder,
} from '@ramet/testkit';
import { onTestFinished } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/types.ts';
import { createCheckout } from '../../../src/workspace/checkout/index.ts';
import { captureCheckpoint, restoreCheckpoint } from '../../../src/workspace/checkpoint/index.ts';
import { openProject } from '../../../src/workspace/project/index.ts';
import {
  type CheckpointRecord,
  DEFAULT_CAPTURE_LIMITS,
  type Project,
  type WorkspaceHandle,
} from '../../../src/workspace/types.ts';

export const CARRY = ['node_modules', '.venv', 'vendor', 'target'];

export interface Run {
  readonly id: RunId;
  /** The commit its workspace began at. */
  readonly base: string | null;
  readonly workspace: WorkspaceHandle;
  readonly checkpoints: CheckpointRecord[];
  /** Runs a shell script in the workspace and takes a checkpoint; `log: false` leaves it out of the log. */
  turn(script: string, options?: { readonly log: boolean }): Promise<CheckpointRecord>;
}

export interface Site {
  readonly area: ScratchArea;
  readonly home: string;
  readonly project: Project;
  readonly checkout: string;
  /** The person's git in their checkout. */
  git(...args: string[]): string;
  script(script: string): Promise<string>;
  startRun(options?: { readonly allowDirty?: boolean }): Promise<Run>;
  /** A run that holds another's checkpoints, restored from its last one. */
  forkRun(parent: Run): Promise<Run>;
  base(): string;
}

/** Makes a site; the script makes the repository in the person's checkout. */
export async function makeSite(script = START): Promise<Site> {
  const area = makeScratchArea();
  onTestFinished(() => area.remove());
  const checkout = join(area.folder, 'checkout');
  const home = join(area.folder, 'state');
  mkdirSync(checkout);
  await runScript(checkout, script);
  const project = await openProject({ stateFolder: home, cwd: checkout });
  if (project === null || isRefusal(project)) throw new Error(`no project: ${project?.message}`);
  let count = 0;
  const addRun = (): { id: RunId; folder: string } => {
    count += 1;
    const id = makeTestId(count);
    const folder = join(home, 'runs', id);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return { id, folder };
  };
  const startRun: Site['startRun'] = async ({ allowDirty = false } = {}) => {
    const { id, folder } = addRun();
    const opened = await createCheckout({
      project,
      target: join(folder, 'workspace'),
      allowDirty,
      carry: CARRY,
      captureIgnored: true,
    });
    if (isRefusal(opened)) throw new Error(opened.message);
    return makeRun(project, { id, folder, base: opened.base, inherited: [] });
  };
  const forkRun: Site['forkRun'] = async (parent) => {
    const { id, folder } = addRun();
    const checkpoint = parent.checkpoints.at(-1)?.id ?? '';
    await restoreCheckpoint({ project, checkpoint, target: join(folder, 'workspace'), carry: CARRY, carryFrom: [] });
    const run = makeRun(project, { id, folder, base: parent.base, inherited: parent.checkpoints });
    writeRunLog(project, folder, run);
    return run;
  };
  return {
    ...{ area, home, project, checkout, startRun, forkRun },
    git: (...args) => area.git(checkout, ...args),
    script: (text) => runScript(checkout, text),
    base: () => area.git(checkout, 'rev-parse', 'HEAD'),
  };
}

interface RunParts {
  readonly id: RunId;
  readonly folder: string;
  readonly base: string | null;
  readonly inherited: readonly CheckpointRecord[];
}

function makeRun(project: Project, { id, folder, base, inherited }: RunParts): Run {
  const path = join(folder, 'workspace');
  const privateFolder = join(folder, 'sandbox', 'private');
  mkdirSync(privateFolder, { recursive: true, mode: 0o700 });
  const workspace: WorkspaceHandle = { project, path, privateFolder, sandbox: noSandbox(path) };
  const checkpoints = [...inherited];
  const run: Run = {
    ...{ id, base, workspace, checkpoints },
    turn: async (script, { log } = { log: true }) => {
      await runScript(path, script);
      const previous = checkpoints.at(-1)?.id ?? null;
      const record = await captureCheckpoint({
        ...{ workspace, previous, base, carry: CARRY, captureIgnored: true, limits: DEFAULT_CAPTURE_LIMITS },
      });
      if (log) {
        checkpoints.push(record);
        writeRunLog(project, folder, run);
      }
      return record;
    },
  };
  return run;
}

function writeRunLog(project: Project, folder: string, run: Run): void {
  const turns = run.checkpoints.map(({ id }) => ({ checkpoint: id }));
  writeLogFolder(folder, encodeLog(buildSession({ id: run.id, project: project.id, turns })));
}

/** Agents' commands run plainly here; capture then reads objects as bytes. */
function noSandbox(path: string): Sandbox {
  return {
    kind: 'none',
    guestPath: path,
    run: () => Promise.reject(new Error('no command runs in these tests')),
  };
}

const START = `
git init -q -b main .
printf 'a\\nb\\nc\\nd\\ne\\nf\\ng\\n' > letters; printf 'one\\n' > one; printf 'two\\n' > two
mkdir -p dir/sub; printf 'x\\n' > dir/x; printf 'y\\n' > dir/sub/y; printf '#!/bin/sh\\n' > run; chmod 755 run
ln -s one link; printf '*.log\\nbuild/\\n.env\\n' > .gitignore
git add -A; git commit -qm start`;

/** The text of a stream of bytes. */
export async function collect(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}
