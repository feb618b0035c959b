import { type Refusal, refuse } from '@ramet/core/codes';
import { openBubblewrap } from './bubblewrap.ts';
import { probeSandbox } from './probe.ts';
import type { Sandbox, SandboxKind, SandboxView } from './types.ts';
import { openUnsandboxed } from './unsandboxed.ts';

/** Opens a sandbox for the commands of one turn; refuses with `no_sandbox` and the line that installs one. */
export async function openSandbox(kind: SandboxKind, view: SandboxView): Promise<Sandbox | Refusal> {
  if (kind === 'none') return openUnsandboxed(view, { hostEnv: process.env });
  const probe = await probeSandbox();
  if (probe.kind === 'present') {
    return openBubblewrap(view, { program: probe.program, disableUserns: probe.disableUserns, hostEnv: process.env });
  }
  const remedy = probe.install === null ? '' : `install it (${probe.install}), or `;
  const message = `No sandbox for the agent's commands: ${probe.reason}. To go on, ${remedy}pass --no-sandbox to give the agent your own rights.`;
  return refuse('no_sandbox', message, { reason: probe.reason, install: probe.install });
}
