/**
 * Runs commands without a sandbox, because the person said so: with their rights, in the real folder.
 *
 * 1. Secrets of the environment are not handed on (see `environment.ts`); files are not protected from anything.
 * 2. A command's process group is killed when it ends; a process that left the group lives on.
 * 3. The network is open and nothing is recorded: such a call is never contained.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runProcess } from '../process/index.ts';
import { makeOutsideEnvironment } from './environment.ts';
import type { CommandOutcome, Sandbox, SandboxCommand, SandboxView } from './types.ts';

export interface UnsandboxedOptions {
  /** The person's environment. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
}

/** A `Sandbox` that confines nothing. */
export function openUnsandboxed(view: SandboxView, options: UnsandboxedOptions): Sandbox {
  const run = async (command: SandboxCommand): Promise<CommandOutcome> => {
    const { cwd, env, allowNet: _allowNet, onRefusedEgress: _onRefused, ...rest } = command;
    mkdirSync(view.scratch, { recursive: true, mode: 0o700 });
    const outcome = await runProcess({
      ...rest,
      realPipes: true,
      cwd: join(view.workspace, cwd),
      env: { ...makeOutsideEnvironment(options.hostEnv, view.scratch), ...makeIdentity(view), ...env },
    });
    return { ...outcome, egress: [], refusedEgress: [] };
  };
  return { kind: 'none', guestPath: view.workspace, run };
}

/** The run's identity, for git only; everything else of git's configuration is the person's own. */
function makeIdentity({ identity }: SandboxView): Record<string, string> {
  if (identity === undefined) return {};
  const { name, email } = identity;
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
}
