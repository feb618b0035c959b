/** Capture requests and a stand-in sandbox; no test runner in here, so that a plain process can use it. */
import { join } from 'node:path';
import { runProcess } from '../../../src/process/index.ts';
import type { Sandbox, SandboxKind } from '../../../src/sandbox/types.ts';
import { type CaptureRequest, DEFAULT_CAPTURE_LIMITS, type WorkspaceHandle } from '../../../src/workspace/types.ts';

/** Set for commands that run in the (stand-in) sandbox: what a canary does there is the agent's own business. */
export const INSIDE = 'RAMET_TEST_INSIDE';

export const CARRY = ['node_modules', '.venv', 'vendor', 'target'];

/** A capture request with the usual limits. */
export function makeRequest(workspace: WorkspaceHandle, more: Partial<CaptureRequest> = {}): CaptureRequest {
  return {
    workspace,
    previous: null,
    base: null,
    carry: CARRY,
    captureIgnored: true,
    limits: DEFAULT_CAPTURE_LIMITS,
    ...more,
  };
}

/** Runs commands in the folder itself, with the environment of a sandbox. */
export function makePlainSandbox(path: string, kind: SandboxKind): Sandbox {
  return {
    kind,
    guestPath: path,
    run: async (command) => {
      const outcome = await runProcess({
        argv: command.argv,
        cwd: join(path, command.cwd),
        env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', LC_ALL: 'C.UTF-8', [INSIDE]: '1', ...command.env },
        ...(command.stdin === undefined ? {} : { stdin: command.stdin }),
        stdout: command.stdout,
        stderrLimitBytes: command.stderrLimitBytes,
        ...(command.timeoutMs === undefined ? {} : { timeoutMs: command.timeoutMs }),
      });
      return { ...outcome, egress: [] as string[], refusedEgress: [] as string[] };
    },
  };
}
