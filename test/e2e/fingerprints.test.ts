/**
 * A child's workspace equals the one at its boundary, for repositories in the states that break such tools: a turn makes
 * the state, a second one ruins it, and the child of the first is compared with what was there.
 */
import { FOLDER_STATES, REPOSITORY_STATES, type RepositoryState, runScript, START_SCRIPT } from '@ramet/testkit';
import { describe, expect, test } from 'vitest';
import { callShell, openStage, type Stage, skipWithoutSandbox } from './support/stage.ts';

/** Whatever there is, gone: files, index, branches, operations. */
const RUIN = `cd /work; rm -rf .git/rebase-merge .git/rebase-apply .git/sequencer .git/MERGE_HEAD .git/index
find . -path ./.git -prune -o -type d -exec chmod u+rwx {} +
find . -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} +
rm -f .git/HEAD; echo 'ref: refs/heads/ruined' > .git/HEAD; rm -rf .git/refs/tags .git/refs/stash; echo ruined > ruined`;

/** A script as the agent's command; a repository beside the workspace is one in /tmp there. */
function asCommand(script: string): string {
  const identity = 'export GIT_EDITOR=true GIT_SEQUENCE_EDITOR=true';
  return `bash -euo pipefail <<'SCRIPT'\n${identity}\n${script.replaceAll('../sub-source', '/tmp/sub-source')}\nSCRIPT`;
}

async function makeStart(stage: Stage): Promise<void> {
  await runScript(stage.repository, `rm -rf .git * .gitignore\n${START_SCRIPT}`);
}

/** Fingerprint at the turn that made the state, and the child of that turn after a first run that changes nothing. */
async function forkBack(stage: Stage, command: string, cwd = stage.repository) {
  const first = await stage.turn(null, command, { cwd });
  const then = await stage.fingerprintOf(first.session);
  await stage.turn(first.session, asCommand(RUIN), { cwd });
  expect(await stage.fingerprintOf(first.session)).not.toEqual(then);
  const child = await stage.fork(first.session, 1);
  await stage.turn(child, 'git --no-optional-locks status >/dev/null', { cwd });
  expect(stage.eventsOfType(child, 'workspace.restore')).toMatchObject([{ outcome: 'restored' }]);
  return { child, then, leftOut: stage.eventsOfType(first.session, 'workspace.checkpoint')[0]?.leftOut };
}

/** Those a person meets, and one of each kind; the checkpoint's own tests go through all of them. */
const STATES: Readonly<Record<string, RepositoryState>> = {
  ...pick(REPOSITORY_STATES, [
    'staged, unstaged, untracked, deleted, renamed and committed at once',
    'detached HEAD with a commit',
    'a merge with one conflict resolved and one open',
    'a rebase stopped at a conflict',
    'an interactive rebase stopped to edit',
    'a cherry-pick sequence stopped at its first commit',
    'two stashes',
    'intent to add',
    'assume-unchanged and skip-worktree edits',
    'an amended and a dropped commit',
    'packed refs and a repository that was collected',
    'a linked worktree',
    'a submodule with edits',
  ]),
  ...pick(FOLDER_STATES, [
    'an inner repository with edits',
    'an inner repository without a commit',
    'names git quotes',
    'modes, links and odd types',
    'types swapped',
    'content git would convert',
    'attributes changed after the files were added',
  ]),
};

function pick<T>(states: Readonly<Record<string, T>>, names: readonly string[]): Record<string, RepositoryState> {
  return Object.fromEntries(
    names.map((name) => {
      const state = states[name] as string | RepositoryState | undefined;
      if (state === undefined) throw new Error(`no state is named '${name}'`);
      return [name, typeof state === 'string' ? { make: state } : state];
    }),
  );
}

// Many processes at once on a small machine: slow is no failure.
describe.concurrent('a child has the files, the index and the commits of its boundary', { timeout: 240_000 }, () => {
  test.for(Object.entries(STATES))('%s', async ([, state], ctx) => {
    await skipWithoutSandbox(ctx);
    const stage = openStage(ctx);
    await makeStart(stage);
    const { child, then, leftOut } = await forkBack(stage, asCommand(state.make));
    expect(leftOut).toEqual([]);
    expect(await stage.fingerprintOf(child)).toEqual(then);
    const [after] = state.after ?? [];
    if (after !== undefined) await stage.turn(child, asCommand(after));
  });

  test('a session started in a subfolder', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const stage = openStage(ctx);
    await makeStart(stage);
    const cwd = `${stage.repository}/dir/sub`;
    const { child, then } = await forkBack(
      stage,
      'test "$PWD" = /work/dir/sub; echo 1 > here; git add here; rm y',
      cwd,
    );
    expect(await stage.fingerprintOf(child)).toEqual(then);
    const answer = await stage.play(child, [callShell('pwd; ls'), { text: 'ok' }], { cwd });
    const results = stage.eventsOfType(answer.session, 'tool.result');
    expect(results.at(-1)?.output).toMatchObject({ value: { stdout: '/work/dir/sub\nhere\n' } });
  });
});
