import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal, type RunId } from '@ramet/core';
import { callTool, digestTree, makeSessionHarness, runScript, type SessionHarness, START_SCRIPT } from '@ramet/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let h: SessionHarness;
beforeEach(() => {
  h = makeSessionHarness({ files: { 'front/a': 'a\n', 'front/front/b': 'b\n', 'back/api': 'api\n' } });
});
afterEach(() => h.remove());

/** The person's own settings: the agent commits as them. */
function identify(repository: string): void {
  h.area.git(repository, 'config', 'user.name', 'Ada');
  h.area.git(repository, 'config', 'user.email', 'ada@example.org');
}

async function look(session: RunId): Promise<void> {
  const result = await h.run(session, [{ text: 'looked' }]);
  expect(result).toMatchObject({ kind: 'ended', end: { reason: 'completed' } });
}

/** What a command says in a session's sandbox. */
async function ask(session: RunId, command: string): Promise<string> {
  await h.turn(session, command);
  const { output } = h.eventsOfType(session, 'tool.result').at(-1) ?? {};
  const { stdout } = (output as { value: { stdout: string } }).value;
  return stdout.trim();
}

describe('B31: a fork starts from the work', () => {
  it('not from a commit: index, loose files, branch, tags and the agent’s commit', async () => {
    const repository = join(h.area.folder, 'r31');
    mkdirSync(repository);
    await runScript(repository, START_SCRIPT);
    identify(repository);
    const created = { cwd: repository };
    const work =
      'echo 1>>f; git add f; echo 2>>f; echo n>new; git rm -q --cached g; rm h; git mv a z; echo c>>c; git commit -qm agent -- c; echo 3>>c; git tag t1; git branch side';
    const { session } = await h.turn(null, work, { created });
    const print = await h.fingerprintOf(session);
    await h.turn(session, 'git reset -q --hard; git clean -fdq; git checkout -q main');
    const later = await h.fingerprintOf(session);
    const child = await h.fork(session, 1);
    await look(child);
    expect(await h.fingerprintOf(child)).toEqual(print);
    expect(await h.fingerprintOf(session)).toEqual(later);
    expect(await ask(child, 'git log -1 --format=%s; git branch --show-current; git tag; git branch --list side')).toBe(
      'agent\ndev\nt1\n  side',
    );
  });
});

describe('B33: a session started in a subfolder', () => {
  it('works there, and a fork has the whole repository as it was', async () => {
    const checkout = digestTree(h.repository);
    const { session } = await h.turn(null, 'pwd; echo edit >> a; echo nested >> front/b', {
      created: { cwd: join(h.repository, 'front') },
    });
    const print = await h.fingerprintOf(session);
    expect(readFileSync(join(h.workspaceOf(session), 'front/a'), 'utf8')).toBe('a\nedit\n');
    expect(readFileSync(join(h.workspaceOf(session), 'front/front/b'), 'utf8')).toBe('b\nnested\n');
    expect(digestTree(h.repository)).toBe(checkout);
    writeFileSync(join(h.repository, 'back/api'), 'the person\n');
    h.area.git(h.repository, 'commit', '-qam', 'person');
    const other = await h.turn(null, 'echo agent > back/api');
    await look(session);
    for (const turn of [1, 2]) {
      const child = await h.fork(session, turn);
      expect(await ask(child, 'pwd')).toBe('/work/front');
      expect(await h.fingerprintOf(child)).toEqual(print);
    }
    await look(await h.fork(other.session, 1));
    expect(readFileSync(join(h.repository, 'back/api'), 'utf8')).toBe('the person\n');
    expect(h.problems()).toEqual([]);
  });
});

describe('B48: no commit yet, or a detached HEAD', () => {
  it('is captured and brought back at each turn', async () => {
    const repository = join(h.area.folder, 'unborn');
    mkdirSync(repository);
    h.area.git(repository, 'init', '-qb', 'trunk');
    identify(repository);
    const commands = [
      'echo a>a; git add a; echo b>b',
      'git commit -qm first',
      'git checkout -q --orphan o; git rm -rqf .',
      'git checkout -q --detach trunk; git commit -q --allow-empty -m d',
      'git branch -D trunk',
    ];
    let session: RunId | null = null;
    const prints = [];
    for (const command of commands) {
      session = (await h.turn(session, command, { created: { cwd: repository } })).session;
      prints.push(await h.fingerprintOf(session));
    }
    if (session === null) throw new Error('no session');
    expect(h.eventsOfType(session, 'tool.result').map(({ output }) => output)).toMatchObject(
      commands.map(() => ({ value: { exitCode: 0 } })),
    );
    for (const [index, print] of prints.entries()) {
      const child = await h.fork(session, index + 1);
      await look(child);
      expect(await h.fingerprintOf(child), `turn ${index + 1}`).toEqual(print);
    }
    const first = await h.fork(session, 1);
    expect(await ask(first, 'git symbolic-ref HEAD; git status --porcelain; git log 2>&1 | head -1')).toContain(
      'refs/heads/trunk\nA  a\n?? b',
    );
    expect(await ask(await h.fork(session, 4), 'git log -1 --format=%s')).toBe('d');
    expect(h.area.git(repository, 'for-each-ref')).toBe('');
    expect(h.problems()).toEqual([]);
  });
});

describe('B50: a folder that is no repository', () => {
  const directory = (cwd: string) => ({ created: { cwd, workspace: 'directory' as const } });

  it('is refused without a choice, and worked in by choice: shared, not restored, and said so', async () => {
    const plain = join(h.area.folder, 'plain');
    mkdirSync(plain);
    writeFileSync(join(plain, 'f'), 'f\n');
    expect(await h.run(null, [], { created: { cwd: plain } })).toMatchObject({ code: 'no_workspace' });
    const { session } = await h.turn(null, 'echo 1 >> f', directory(plain));
    await h.turn(session, 'git init -q . && git add f && git -c user.name=a -c user.email=a@b commit -qm in');
    await h.turn(session, 'rm -rf .git; echo gone');
    expect(h.eventsOfType(session, 'session.end').map(({ checkpoint, why }) => [checkpoint, why])).toEqual(
      [1, 2, 3].map(() => ['none', 'directory']),
    );
    for (const turn of [1, 2]) {
      const child = await h.fork(session, turn);
      await h.turn(child, 'cat f');
      expect(h.eventsOfType(child, 'workspace.restore')).toMatchObject([{ outcome: 'shared', checkpoint: null }]);
      expect(JSON.stringify(h.eventsOfType(child, 'message').at(-1)?.notices)).toContain('shared');
    }
    expect(readFileSync(join(plain, 'f'), 'utf8')).toBe('f\n1\n');
    expect(h.problems()).toEqual([]);
  });

  it('is one run’s at a time, and a refused run makes no session', async () => {
    const plain = join(h.area.folder, 'plain');
    mkdirSync(plain);
    let second: Promise<unknown> | null = null;
    const toolOutput = (): void => {
      second ??= h.run(null, [{ text: 'x' }], directory(plain));
    };
    await h.turn(null, 'echo here; sleep 2', { ...directory(plain), observer: { toolOutput } });
    expect(await second).toMatchObject({ code: 'directory_in_use' });
    expect(h.store.listRuns()).toHaveLength(1);
  });

  it('keeps the agent from what the person’s git would run, there or not', async () => {
    const repository = join(h.area.folder, 'own');
    mkdirSync(repository);
    h.area.git(repository, 'init', '-q');
    rmSync(join(repository, '.git/hooks'), { recursive: true });
    const config = readFileSync(join(repository, '.git/config'), 'utf8');
    const attempts = [
      'echo "[core] fsmonitor = /tmp/x" >> .git/config',
      'git config core.fsmonitor /tmp/x',
      'mkdir -p .git/hooks; echo x > .git/hooks/pre-commit',
      'mv .git .git2',
      'mv .git/config .git/c2; echo x > .git/config',
      'mkdir evil; git init -q evil; echo ../evil/.git > .git/commondir',
    ];
    const { session } = await h.turn(null, attempts.join('\n'), directory(repository));
    const more = [
      callTool('write_file', { path: '.git/config', content: 'x' }),
      callTool('write_file', { path: '.git/hooks/pre-commit', content: 'x' }),
      { text: 'done' },
    ];
    await h.run(session, more);
    expect(readFileSync(join(repository, '.git/config'), 'utf8')).toBe(config);
    expect(existsSync(join(repository, '.git/hooks/pre-commit'))).toBe(false);
    expect(existsSync(join(repository, '.git/commondir'))).toBe(false);
    expect(existsSync(join(repository, '.git2'))).toBe(false);
    expect(h.area.git(repository, 'status', '--porcelain')).toContain('evil');
    await h.turn(session, 'git add -A . ; true');
  });

  it('is refused where Ramet’s own state lies in it, or it in that', async () => {
    const session = (await h.turn(null, 'true')).session;
    for (const cwd of [h.area.folder, h.home, h.workspaceOf(session)]) {
      expect(await h.run(null, [], directory(cwd)), cwd).toMatchObject({ code: 'no_workspace' });
    }
  });

  it('of odd kinds works or is refused with the reason; nothing above it is read', async () => {
    const refused = async (cwd: string): Promise<unknown> => {
      const answer = await h.run(null, [{ text: 'x' }], { created: { cwd } });
      return isRefusal(answer) ? answer.code : answer.kind;
    };
    const bare = join(h.area.folder, 'bare.git');
    h.area.git(h.area.folder, 'init', '-q', '--bare', bare);
    expect(await refused(bare)).toMatch(/^(no_workspace|unsupported_repository)$/);
    const nowhere = join(h.area.folder, 'nowhere');
    mkdirSync(nowhere);
    writeFileSync(join(nowhere, '.git'), 'gitdir: /does/not/exist\n');
    expect(await refused(nowhere)).toMatch(/^(no_workspace|unsupported_repository)$/);
    expect(await refused(join(h.repository, '.git'))).toMatch(/^(no_workspace|unsupported_repository)$/);
    mkdirSync(join(h.repository, 'untracked'));
    expect(await refused(join(h.repository, 'untracked'))).toBe('ended');
  });

  it('with no workspace at all starts empty, keeps its folder between turns, and a fork starts empty', async () => {
    const { session } = await h.turn(null, 'ls -A; echo 1 > f', { created: { workspace: 'none' } });
    expect(await ask(session, 'cat f')).toBe('1');
    const child = await h.fork(session, 1);
    expect(await ask(child, 'ls -A')).toBe('');
    expect(h.eventsOfType(child, 'workspace.restore')).toMatchObject([{ outcome: 'fresh' }]);
    expect(h.problems()).toEqual([]);
  });
});

describe('a session whose repository is gone', () => {
  it('goes on, commits as the person, and forks', async () => {
    const { session } = await h.turn(null, 'echo 1 > f; git add f; git commit -qm one');
    rmSync(h.repository, { recursive: true });
    mkdirSync(h.repository);
    expect(await ask(session, 'echo 2 > f; git commit -qam two; git log --format="%an %s"')).toBe(
      'Ada two\nAda one\nAda first',
    );
    const child = await h.fork(session, 1);
    expect(await ask(child, 'cat f; echo 3 > f; git commit -qam three; git log -1 --format="%an %s"')).toBe(
      '1\nAda three',
    );
    expect(h.problems()).toEqual([]);
  });

  it('and whose workspace is gone too, is restored from its last checkpoint and told so', async () => {
    const { session } = await h.turn(null, 'echo 1 > f');
    rmSync(h.repository, { recursive: true });
    mkdirSync(h.repository);
    rmSync(h.workspaceOf(session), { recursive: true });
    expect(await ask(session, 'cat f')).toBe('1');
    expect(JSON.stringify(h.eventsOfType(session, 'message').at(-1)?.notices)).toContain('rebuilt');
  });
});
