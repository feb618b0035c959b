/** Runs the built command as separate processes, in a small project of its own. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { probeSandbox } from '@ramet/runtime/sandbox';
import type { TestContext } from 'vitest';

export const BIN = join(import.meta.dirname, '../../bin/ramet.mjs');

export interface Reply {
  readonly text?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly input: unknown }[];
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
}

export interface Workbench {
  readonly project: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** Writes a script and returns the model that plays it. */
  script(name: string, replies: readonly Reply[]): string;
  ramet(...argv: readonly string[]): {
    readonly status: number | null;
    readonly stdout: string;
    readonly stderr: string;
  };
  start(...argv: readonly string[]): ChildProcess;
}

/** Skips where there is no sandbox to run an agent's commands in. */
export async function needSandbox(context: TestContext): Promise<void> {
  if (!existsSync(join(BIN, '../../dist/main.mjs'))) context.skip('tool missing: the built command');
  if ((await probeSandbox()).kind === 'absent') context.skip('tool missing: bubblewrap');
}

/** A repository with one commit, and a state folder. */
export function makeWorkbench(): Workbench {
  const root = mkdtempSync(join(tmpdir(), 'e2e-'));
  const project = join(root, 'project');
  const home = join(root, 'state');
  mkdirSync(project);
  const env: NodeJS.ProcessEnv = { ...process.env, RAMET_HOME: home, XDG_CONFIG_HOME: join(root, 'config') };
  const git = (...args: readonly string[]): void => {
    const { status, stderr } = spawnSync('git', args, { cwd: project, env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  };
  git('init', '-q', '-b', 'main');
  git('config', 'user.email', 'person@example.org');
  git('config', 'user.name', 'A Person');
  writeFileSync(join(project, 'file.txt'), 'one\n');
  git('add', '.');
  git('commit', '-qm', 'first');
  return {
    project,
    home,
    env,
    script: (name, replies) => {
      const path = join(root, `${name}.json`);
      writeFileSync(path, JSON.stringify(replies));
      return `scripted:${path}`;
    },
    ramet: (...argv) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...argv], {
        cwd: project,
        env,
        encoding: 'utf8',
      });
      return { status, stdout, stderr };
    },
    start: (...argv) =>
      spawn(process.execPath, [BIN, ...argv], { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] }),
  };
}

/** A call of the shell. */
export function shell(command: string): Reply {
  return { toolCalls: [{ name: 'shell', input: { command } }] };
}

/** Waits until a process has written a text to one of its streams. */
export async function waitForText(stream: NodeJS.ReadableStream | null, text: string): Promise<void> {
  let seen = '';
  for await (const chunk of stream ?? []) {
    seen += String(chunk);
    if (seen.includes(text)) return;
  }
  throw new Error(`ended without '${text}': ${seen}`);
}

/** Waits for the end of a process. */
export function waitForExit(
  child: ChildProcess,
): Promise<{ readonly code: number | null; readonly signal: string | null }> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return Promise.resolve({ code: child.exitCode, signal: child.signalCode });
  }
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
}
