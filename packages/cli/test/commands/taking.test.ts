import { mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal, type RunId } from '@ramet/core';
import { SUSPEND, type TurnObserver } from '@ramet/runtime/session';
import { callShell, makeSessionHarness, type SessionHarness } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandOutcome, runCommandLine } from '../command-line.ts';

let h: SessionHarness;
beforeEach(() => {
  h = makeSessionHarness();
});
afterEach(() => h.remove());

/** A command line of the person, standing in a folder. */
function ramet(cwd: string, ...argv: readonly string[]): Promise<CommandOutcome> {
  return runCommandLine(h.home, argv, { cwd, env: { HOME: h.area.home } });
}

function addWorktree(): string {
  const worktree = join(h.area.folder, 'linked');
  h.area.git(h.repository, 'worktree', 'add', '-q', '-b', 'linked', worktree);
  return worktree;
}

const EXISTING_FILE = 'base.txt';
const read = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8');

describe('apply', () => {
  test('writes the files of the worktree the person stands in, and says which repository has the ref', async () => {
    const { session } = await h.turn(null, 'echo agent > new');
    const worktree = addWorktree();
    const { stderr, exit } = await ramet(worktree, 'apply', session, '--to-checkout');
    expect({ stderr, exit }).toMatchObject({ exit: 0 });
    expect(read(worktree, 'new')).toBe('agent\n');
    expect(() => read(h.repository, 'new')).toThrow('ENOENT');
    expect(stderr).toContain(`${worktree}: refs/ramet/${session} names it`);
    expect(stderr).toContain(`${worktree}: 1 file written, 0 deleted, none staged`);
    const again = await ramet(worktree, 'apply', session, '--to-checkout');
    expect(again).toMatchObject({ exit: 0, stderr: expect.stringContaining('your files have it all already') });
  });

  test('touches no files from elsewhere, unless the checkout is named', async () => {
    const { session } = await h.turn(null, 'echo agent > new');
    const clone = join(h.area.folder, 'clone');
    h.area.git(h.area.folder, 'clone', '-q', h.repository, clone);
    const refused = await ramet(clone, 'apply', session, '--to-checkout', '--json');
    expect(refused.exit).toBe(3);
    expect(JSON.parse(refused.stdout)).toMatchObject({ code: 'no_workspace', path: clone, last: h.repository });
    expect(h.area.git(h.repository, 'for-each-ref', 'refs/ramet')).toBe('');
    const other = await ramet(clone, 'apply', session, '--to-checkout', '--checkout', '.');
    expect(other).toMatchObject({ exit: 3, stderr: expect.stringContaining('is no checkout of the repository') });
    const named = await ramet(clone, 'apply', session, '--to-checkout', '--checkout', '../project');
    expect(named.exit).toBe(0);
    expect(read(h.repository, 'new')).toBe('agent\n');
  });

  test('makes the ref where the session began, and gives commands that work from elsewhere', async () => {
    const { session } = await h.turn(null, 'echo agent > new');
    const { stderr, exit } = await ramet(h.area.folder, 'apply', session);
    expect(exit).toBe(0);
    const base = h.area.git(h.repository, 'rev-parse', 'HEAD').slice(0, 12);
    expect(stderr).toContain(`see it: git -C ${h.repository} diff ${base} refs/ramet/${session}`);
    expect(stderr).toContain(`take it: git -C ${h.repository} merge refs/ramet/${session}`);
    expect((await ramet(h.repository, 'apply', session)).stderr).toContain('see it: git diff');
  });

  test('finds a repository that moved from where it is now, and says so from elsewhere', async () => {
    const { session } = await h.turn(null, 'echo agent > new');
    const moved = join(h.area.folder, 'moved');
    renameSync(h.repository, moved);
    const lost = await ramet(h.area.folder, 'apply', session);
    expect(lost).toMatchObject({ exit: 3, stderr: expect.stringContaining('if you moved it, go to where it is now') });
    expect(await ramet(moved, 'apply', session, '--to-checkout')).toMatchObject({ exit: 0 });
    expect(read(moved, 'new')).toBe('agent\n');
    expect(await ramet(h.area.folder, 'apply', session)).toMatchObject({ exit: 0 });
    const again = join(h.area.folder, 'again');
    renameSync(moved, again);
    const model = h.writeScript([{ text: 'there' }]);
    expect(await ramet(again, 'run', '--session', session, '--model', model, 'go on')).toMatchObject({ exit: 0 });
    expect(await ramet(h.area.folder, 'apply', session)).toMatchObject({ exit: 0 });
  });

  test('goes home with uncommitted changes that came along, and leaves them out of what it shows', async () => {
    writeFileSync(join(h.repository, 'mine.txt'), 'mine\n');
    writeFileSync(join(h.repository, EXISTING_FILE), 'base\nedit\n');
    const created = { allowDirty: true };
    const { session } = await h.turn(null, `echo agent >> ${EXISTING_FILE}; echo s > sub.txt`, { created });
    const { stdout } = await ramet(h.repository, 'diff', session, '--json');
    const { files } = JSON.parse(stdout) as { files: readonly { shown: string; additions: number }[] };
    expect(files.map(({ shown, additions }) => [shown, additions])).toEqual([
      [EXISTING_FILE, 1],
      ['sub.txt', 1],
    ]);
    const plain = await ramet(h.repository, 'apply', session);
    expect(plain.stderr).toContain(`take it: ramet apply ${session} --to-checkout`);
    const first = await ramet(h.repository, 'apply', session, '--to-checkout');
    expect(first).toMatchObject({ exit: 0, stderr: expect.stringContaining('2 files written, 0 deleted') });
    expect(read(h.repository, EXISTING_FILE)).toBe('base\nedit\nagent\n');
    const second = await ramet(h.repository, 'apply', session, '--to-checkout');
    expect(second).toMatchObject({ exit: 0, stdout: plain.stdout });
    expect(second.stderr).toContain('have it all already');
  });

  test('refuses where the agent changed nothing, and names a file that no checkpoint holds', async () => {
    const idle = await h.turn(null, 'true');
    const refused = await ramet(h.repository, 'apply', idle.session);
    expect(refused).toMatchObject({ exit: 1, stderr: expect.stringContaining('the agent changed nothing') });
    const { session } = await h.turn(null, 'truncate -s 60M huge; echo n > new');
    const { stderr } = await ramet(h.repository, 'apply', session);
    expect(stderr).toContain('not in the checkpoint, so it did not come along: huge');
    expect((await ramet(h.repository, 'diff', session, '--stat')).stderr).toContain('not in the checkpoint: huge');
  });
});

describe('a turn that was cut off', () => {
  /** As a process that is ended leaves it: the call was made, and no checkpoint followed. */
  async function cutOff(session: RunId | null, command: string): Promise<RunId> {
    const stop = new AbortController();
    const event: TurnObserver['event'] = ({ type }) => (type === 'tool.result' ? stop.abort(SUSPEND) : undefined);
    const suspended = await h.run(session, [callShell(command), { text: 'done' }], {
      settings: { signal: stop.signal, observer: { event } },
    });
    if (isRefusal(suspended)) throw new Error(suspended.message);
    return suspended.session;
  }

  test('is said to have its changes in the workspace alone, and apply has nothing to bring', async () => {
    const session = await cutOff(null, 'echo agent > new');
    const workspace = h.workspaceOf(session);
    const where = `in ${workspace} and in no checkpoint; let it end first: ramet run --session ${session}`;
    const diff = await ramet(h.repository, 'diff', session);
    expect(diff).toMatchObject({ exit: 0, stdout: '', stderr: expect.stringContaining(where) });
    expect(diff.stderr).not.toContain('no file differs');
    const refused = await ramet(h.repository, 'apply', session, '--json');
    expect(refused.exit).toBe(3);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      code: 'no_checkpoint',
      message: expect.stringContaining(where),
      uncaptured: { workspace, offset: expect.any(Number) },
    });
    const fork = await ramet(h.repository, 'fork', session);
    expect(fork).toMatchObject({ exit: 3, stderr: expect.stringContaining(`ramet run --session ${session}`) });
    expect(await ramet(h.repository, 'run', '--session', session)).toMatchObject({ exit: 0 });
    const { stdout } = await ramet(h.repository, 'diff', session, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ files: [{ shown: 'new' }] });
    expect(JSON.parse(stdout)).not.toHaveProperty('uncaptured');
  });

  test('does not keep what earlier turns did from being brought, and says what stays behind', async () => {
    const { session } = await h.turn(null, 'echo first > first');
    await cutOff(session, 'echo second > second');
    const applied = await ramet(h.repository, 'apply', session, '--to-checkout', '--json');
    expect(JSON.parse(applied.stdout)).toMatchObject({
      checkout: { written: ['first'] },
      uncaptured: { workspace: h.workspaceOf(session) },
    });
    const { stderr } = await ramet(h.repository, 'apply', session);
    expect(stderr).toContain(`in ${h.workspaceOf(session)} and in no checkpoint`);
  });
});

describe('refs that apply made', () => {
  const listRefs = (): string => h.area.git(h.repository, 'for-each-ref', '--format=%(refname)', 'refs/ramet');

  test('stay when their session goes, and go with it when that is asked for', async () => {
    const [kept, gone] = [(await h.turn(null, 'echo a > a')).session, (await h.turn(null, 'echo b > b')).session];
    for (const id of [kept, gone]) await ramet(h.repository, 'apply', id);
    h.area.git(h.repository, 'merge', '-q', '--no-edit', `refs/ramet/${gone}`);
    expect((await ramet(h.repository, 'remove', kept, '--yes')).exit).toBe(0);
    expect(listRefs().split('\n')).toHaveLength(2);
    const planned = await ramet(h.repository, 'remove', gone, '--refs', '--dry-run', '--json');
    expect(JSON.parse(planned.stdout)).toMatchObject({
      runs: [{ unsaved: [], refs: [{ repository: h.repository, ref: `refs/ramet/${gone}` }] }],
    });
    expect((await ramet(h.repository, 'remove', gone, '--refs', '--yes')).exit).toBe(0);
    expect(listRefs()).toBe(`refs/ramet/${kept}`);
  });

  test('are named as work that is nowhere else where no branch has their commits', async () => {
    const { session } = await h.turn(null, 'echo a > a');
    await ramet(h.repository, 'apply', session);
    expect((await ramet(h.repository, 'remove', session, '--json')).stdout).toContain('not_confirmed');
    const refused = await ramet(h.repository, 'remove', session, '--refs', '--json');
    expect(JSON.parse(refused.stdout)).toMatchObject({
      code: 'would_lose_work',
      runs: [{ unsaved: [{ kind: 'ref', message: expect.stringContaining('commits that no branch has') }] }],
    });
    const pruned = await ramet(h.repository, 'prune', '--to', '0', '--refs', '--yes', '--json');
    expect(JSON.parse(pruned.stdout)).toMatchObject({ removed: [], kept: [{ id: session }] });
    const all = await ramet(h.repository, 'prune', '--to', '0', '--refs', '--include-unsaved', '--yes', '--json');
    expect(JSON.parse(all.stdout)).toMatchObject({ removed: [session] });
    expect(listRefs()).toBe('');
  });
});

test('a fork says that the files do not come back where the project has no checkpoints any more', async () => {
  const { session } = await h.turn(null, 'echo a > a');
  const preview = async (): Promise<unknown> => {
    const { stdout } = await ramet(h.repository, 'fork', session, '--dry-run', '--json');
    return (JSON.parse(stdout) as { workspace: unknown }).workspace;
  };
  expect(await preview()).toMatchObject({ kind: 'git', restorable: true });
  const [project = ''] = readdirSync(join(h.home, 'projects')).filter((name) => name.includes('-'));
  renameSync(join(h.home, 'projects', project, 'store.git'), join(h.area.folder, 'gone'));
  expect(await preview()).toMatchObject({
    restorable: false,
    checkpoint: expect.stringMatching(/^[0-9a-f]{40}$/),
    reason: expect.stringContaining('the checkpoints of its project are gone'),
  });
});

describe('what a place has', () => {
  async function start(folder: string, workspace: 'directory' | 'none'): Promise<RunId> {
    const created = { cwd: folder, workspace };
    const result = await h.run(null, [callShell('true'), { text: 'done' }], { created });
    if (isRefusal(result)) throw new Error(result.message);
    return result.session;
  }

  test('are the sessions of its repository, and those that work in that very folder', async () => {
    const plain = join(realpathSync(h.area.folder), 'plain');
    mkdirSync(join(plain, 'below'), { recursive: true });
    const here = await start(plain, 'directory');
    const below = await start(join(plain, 'below'), 'directory');
    await start(plain, 'none');
    const { session: git } = await h.turn(null, 'true');
    const list = async (folder: string): Promise<readonly string[]> => {
      const { stdout } = await ramet(folder, 'sessions', '--project', '--json');
      return (JSON.parse(stdout) as { sessions: readonly { id: string }[] }).sessions.map(({ id }) => id);
    };
    expect(await list(plain)).toEqual([here]);
    expect(await list(join(plain, 'below'))).toEqual([below]);
    expect(await list(h.repository)).toEqual([git]);
    const model = h.writeScript([{ text: 'again' }]);
    const { stdout } = await ramet(plain, 'run', '--continue', '--model', model, '--json', 'go on');
    expect(JSON.parse(stdout)).toMatchObject({ session: here, turn: 2 });
    expect(await ramet(h.area.folder, 'run', '--continue', '--model', model, 'go on')).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('no session belongs to'),
    });
  });

  test('does not offer to take what an agent did not do', async () => {
    const model = h.writeScript([{ text: 'nothing to do' }]);
    const { stderr } = await ramet(h.repository, 'run', '--model', model, 'look');
    expect(stderr).toContain('changed: no file');
    expect(stderr).not.toContain('take it:');
  });
});
