import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isRefusal } from '@ramet/core/codes';
import { expect } from 'vitest';
import { openSandbox, type Sandbox, type SandboxKind } from '../../src/sandbox/index.ts';
import { builtinTools, type Tool, type ToolAnswer, type ToolContext } from '../../src/tools/index.ts';

/** A run's workspace beside another run's, as they lie in a state folder. */
export interface Bench {
  readonly folder: string;
  readonly workspace: string;
  readonly other: string;
  readonly context: ToolContext;
  put(path: string, content: string | Uint8Array): string;
  remove(): void;
}

/** `sandbox` is a stand-in that runs nothing unless a kind is named. */
export async function makeBench(more: Partial<ToolContext> = {}, kind?: SandboxKind): Promise<Bench> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ramet-tools-')));
  const workspace = join(folder, 'runs', 'run-a', 'workspace');
  const other = join(folder, 'runs', 'run-b', 'workspace');
  const scratch = join(folder, 'runs', 'run-a', 'tmp');
  for (const path of [workspace, other, scratch]) mkdirSync(path, { recursive: true });
  writeFileSync(join(other, 'secret.txt'), 'secret');
  const sandbox = kind === undefined ? idleSandbox() : await openReal(kind, workspace, scratch);
  const context: ToolContext = {
    sandbox,
    workspace,
    cwd: '',
    signal: new AbortController().signal,
    allowNet: [],
    outputLimitBytes: 10_000,
    ...more,
  };
  const put = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), content);
    return join(workspace, path);
  };
  return { folder, workspace, other, context, put, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function idleSandbox(): Sandbox {
  return { kind: 'bubblewrap', guestPath: '/work', run: () => expect.unreachable('a file tool runs no command') };
}

async function openReal(kind: SandboxKind, workspace: string, scratch: string): Promise<Sandbox> {
  const sandbox = await openSandbox(kind, { workspace, scratch, readOnly: [], frozen: [] });
  if (isRefusal(sandbox)) return expect.unreachable(sandbox.message);
  return sandbox;
}

export function tool(name: string): Tool {
  return builtinTools().find((one) => one.name === name) ?? expect.unreachable(`no tool ${name}`);
}

/** The text of an answer that is no error. */
export function textOf(answer: ToolAnswer | null): string {
  if (answer?.output.type !== 'text') return expect.unreachable(JSON.stringify(answer));
  return answer.output.value;
}

/** The text of an answer that says what went wrong. */
export function errorOf(answer: ToolAnswer | null): string {
  if (answer?.output.type !== 'error-text') return expect.unreachable(JSON.stringify(answer));
  return answer.output.value;
}
