import { Failure, isRefusal } from '@ramet/core';
import { openSandbox, type Sandbox, type SandboxKind, type SandboxView } from '../../sandbox/index.ts';

/** Where a sandbox shows the workspace; without one it is at its own path. */
const GUEST_WORKSPACE = '/work';

/** A sandbox that is opened by its first command: most nodes run none. */
export function openLazySandbox(kind: SandboxKind, view: SandboxView): Sandbox {
  let opening: Promise<Sandbox> | null = null;
  const open = async (): Promise<Sandbox> => {
    const sandbox = await openSandbox(kind, view);
    if (isRefusal(sandbox)) throw new Failure(sandbox.code, sandbox.message);
    return sandbox;
  };
  return {
    kind,
    guestPath: kind === 'none' ? view.workspace : GUEST_WORKSPACE,
    run: async (command) => {
      opening ??= open();
      return (await opening).run(command);
    },
  };
}
