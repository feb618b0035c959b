/** Odd names, ids that are paths, recorded control characters, short ids, modes: one test a case; B58 and so on name them. */
import { randomBytes } from 'node:crypto';
import { cpSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal } from '@ramet/core/codes';
import { makeRunId, type RunId } from '@ramet/core/events';
import { forkSession } from '@ramet/runtime/fork';
import { openFileStore } from '@ramet/runtime/store';
import { buildSession, digestTree } from '@ramet/testkit';
import { describe, expect, test } from 'vitest';
import { parseAnswer, ROOT, runProgram } from './support/command.ts';
import { callShell, openStage, type Stage, skipWithoutSandbox } from './support/stage.ts';
import { listRuns, listStore } from './support/store.ts';

const NO_FILES = { args: ['--workspace', 'none'] };

describe.concurrent('hostile cases', { timeout: 240_000 }, () => {
  test('B58: every path with a dash, blanks, quotes, commands and a newline in it', async (ctx) => {
    const name = `-a b'c"d$(touch pwn)\`touch pwn\`é;&*,:=\nz `;
    await skipWithoutSandbox(ctx);
    const stage = openStage(ctx, { name, repository: name });
    const app = join(stage.area.folder, name);
    mkdirSync(app, { recursive: true });
    const installed = join(app, 'installed');
    cpSync(join(ROOT, 'packages/cli'), installed, { recursive: true, filter: (path) => !/\/(src|test)$/.test(path) });
    symlinkSync(join(ROOT, 'node_modules'), join(app, 'node_modules'));
    const bin = join(installed, 'bin/ramet.mjs');
    const run = async (...args: string[]) => {
      const surroundings = { cwd: stage.repository, env: stage.env };
      const ended = await runProgram(process.execPath, [bin, ...args], surroundings);
      expect(ended.code, `${args.join(' ')}: ${ended.stderr}`).toBe(0);
      return ended;
    };
    const model = stage.writeScript([callShell('echo made > "$(printf "odd\\nname")"; pwd'), { text: 'done' }]);
    const { session } = parseAnswer(await run('run', '--model', model, '--json', 'go')) as { session: string };
    const child = (await run('fork', session)).stdout.trim();
    await run('run', '--session', child, '--model', model, 'again');
    for (const verb of ['show', 'verify', 'diff', 'log', 'apply']) await run(verb, child);
    expect((await run('sessions')).stdout).toContain(child.slice(-6));
    await run('remove', session, '--yes');
    await run('prune', '--older-than', '1', '--yes');
    await run('gc');
    const everything = readdirSync(stage.area.folder, { recursive: true, encoding: 'utf8' }) as string[];
    expect(everything.filter((path) => /(^|\/)pwn$/.test(path))).toEqual([]);
    expect(stage.eventsOfType(child, 'tool.result').at(-1)?.output).toMatchObject({ value: { stdout: '/work\n' } });
  });

  test('B81: an id is never a path', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const stage = openStage(ctx);
    const { session } = await stage.play(null, [{ text: 'one' }], NO_FILES);
    const canary = join(stage.area.folder, 'canary');
    mkdirSync(join(canary, 'log'), { recursive: true });
    writeFileSync(join(canary, 'log/000000000000.jsonl'), stage.logOf(session));
    const before = [digestTree(canary), listStore(stage.home)];
    const ids = [
      '../canary',
      '..%2fcanary',
      '%2e%2e/canary',
      canary,
      'x/../../canary',
      '',
      '.',
      '..',
      'runs',
      '*',
      '~',
    ];
    ids.push(
      'a'.repeat(10_000),
      session.toUpperCase(),
      ` ${session}`,
      `${session}/`,
      `${session}\n`,
      '-',
      '.keys',
      '.staging',
    );
    const script = stage.writeScript([{ text: 'never' }]);
    for (const [index, id] of ids.entries()) {
      const writing = index % 5 === 0 ? [['fork'], ['remove', '--yes', session]] : [];
      for (const [verb = '', ...more] of [['show'], ...writing]) {
        // After `--` even what looks like a flag is an id.
        const ended = await stage.ramet([verb, '--json', ...more.slice(0, 1), '--', ...more.slice(1), id]);
        expect(ended.code, `${verb} ${id}: ${ended.stdout}${ended.stderr}`.slice(0, 300)).toBe(1);
        expect(String(parseAnswer(ended).message).length).toBeLessThan(400);
      }
    }
    for (const verb of ['log', 'verify', 'usage', 'diff', 'apply']) await stage.ask([verb, '../canary'], { exit: 1 });
    await stage.ask(['title', '../canary', 'x'], { exit: 1 });
    await stage.ask(['run', '--session', '../canary', '--model', script, 'x'], { exit: 1 });
    expect([digestTree(canary), listStore(stage.home)]).toEqual(before);
  });

  test('B81: a link in the store is no run of it', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const stage = openStage(ctx, { damaged: true });
    const { session } = await stage.play(null, [{ text: 'one' }], NO_FILES);
    const canary = join(stage.area.folder, 'canary');
    cpSync(stage.folderOf(session), canary, { recursive: true });
    const link = `${session.slice(0, -4)}ffff`;
    symlinkSync(canary, stage.folderOf(link));
    const before = digestTree(canary);
    for (const args of [
      ['remove', link, '--yes'],
      ['title', link, 'x'],
      ['fork', link],
      ['prune', '--to', '1B', '--yes'],
    ]) {
      await stage.ramet([...args, '--json']);
      expect(digestTree(canary), args.join(' ')).toBe(before);
    }
  });

  test('B83: what was recorded never steers a terminal', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const stage = openStage(ctx);
    const { session } = await stage.turn(null, WRITE_CONTROLS, { args: ['--title', `t${CONTROLS}`] });
    const spoken = await stage.play(session, [
      { text: `said ${CONTROLS}`, toolCalls: [{ name: `x${CONTROLS}`, input: { path: CONTROLS } }] },
      { text: `bye ${CONTROLS}` },
    ]);
    const child = await stage.fork(session);
    const views = [
      ['sessions'],
      ['sessions', '--tree'],
      ['show', session],
      ['show', session, '--full'],
      ['diff', session],
      ['diff', session, '--stat'],
      ['log', session],
      ['usage'],
      ['verify', session],
      ['fork', session, '--dry-run'],
      ['prune', '--to', '1B', '--dry-run'],
      ['remove', child, '--dry-run'],
      ['run', '--session', child, '--model', stage.writeScript([{ text: `again ${CONTROLS}` }]), 'go'],
      ['fork', session, '--at', '1'],
      ['title', session, `u${CONTROLS}`],
    ];
    for (const args of views) {
      for (const flags of [[], ['--json']]) {
        const { stdout, stderr } = await stage.ramet([...args, ...flags]);
        expect(findControls(`${stdout}${stderr}`), [...args, ...flags].join(' ')).toEqual([]);
      }
    }
    const raw = await stage.ramet(['log', session, '--raw']);
    expect(Buffer.from(raw.stdout)).toEqual(stage.logOf(session));
    expect(JSON.stringify(stage.eventsOf(session).at(spoken.end.offset - 2))).toContain('bye');
  });

  test('B87: short ids are accepted back, and never guessed', async (ctx) => {
    await skipWithoutSandbox(ctx);
    const stage = openStage(ctx);
    const ids = await fillStore(stage);
    const table = (await stage.ramet(['sessions'])).stdout.trimEnd().split('\n').slice(1);
    const shown = table.map((line) => line.split(/\s+/)[0] ?? '');
    expect(new Set(shown).size).toBe(200);
    const usage = (await stage.ask(['usage', ...shown])) as { sessions: readonly { id: string }[] };
    expect(usage.sessions.map(({ id }) => id).sort()).toEqual([...ids].sort());
    for (const short of shown.slice(0, 3)) {
      expect(String((await stage.ask(['show', short])).id).replaceAll('-', '')).toMatch(new RegExp(`${short}$`));
    }
    const before = listStore(stage.home);
    const common = ids[0]?.slice(0, 8) ?? '';
    for (const args of [
      ['show', common],
      ['fork', common],
      ['remove', common, '--yes'],
      ['run', '--session', common, 'x'],
    ]) {
      const answer = await stage.ask(args, { exit: 1 });
      expect(answer).toMatchObject({ code: 'ambiguous_id', message: expect.stringContaining('give the end of an id') });
    }
    for (const args of [
      ['run', '--session', 'deadbeef', 'x'],
      ['fork', 'deadbeef'],
      ['run', '--fork', 'deadbeef', 'x'],
    ]) {
      expect(await stage.ask(args, { exit: 1 })).toMatchObject({ code: 'unknown_run' });
    }
    expect(listStore(stage.home)).toEqual(before);
    const [one = '', two = ''] = shown;
    const owner = (await stage.ask(['show', two])).id;
    await stage.ask(['title', one, two]);
    expect(await stage.ask(['show', two])).toMatchObject({ id: owner });
  });

  test.for(['000', '022'])('B93: nobody else can read what is kept, under umask %s', async (umask, ctx) => {
    await skipWithoutSandbox(ctx);
    const stage = openStage(ctx);
    const run = async (...args: string[]) => {
      const command = `umask ${umask}; exec node '${join(ROOT, 'packages/cli/bin/ramet.mjs')}' "$@"`;
      const { NODE_COMPILE_CACHE: _, ...env } = stage.env;
      const ended = await runProgram('sh', ['-c', command, 'sh', ...args], { cwd: stage.repository, env });
      expect(ended.code, ended.stderr).toBe(0);
      return ended;
    };
    const image = join(stage.area.folder, 'image.png');
    writeFileSync(image, Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(600_000, 7)]));
    const model = stage.writeScript([callShell('echo secret > made; mkdir -pm 700 private'), { text: 'done' }]);
    const answer = parseAnswer(await run('run', '--model', model, '--attach', image, '--json', 'go'));
    const session = String(answer.session);
    const child = (await run('fork', session)).stdout.trim();
    await run('run', '--session', child, '--model', model, 'again');
    await run('title', child, 'mine');
    await run('apply', child);
    await run('verify', '--all');
    expect(listOpen(stage.home, stage)).toEqual([]);
    expect(lstatSync(join(stage.area.home, '.cache/ramet/compiled')).mode & 0o777).toBe(0o700);
    expect(readdirSync(stage.env.TMPDIR ?? '')).toEqual([]);
    const modeOf = (id: string, path: string) =>
      (lstatSync(join(stage.workspaceOf(id), path)).mode & 0o777).toString(8);
    expect(modeOf(child, 'private')).toBe('700');
    for (const path of ['made', 'base.txt']) expect(modeOf(child, path)).toBe(modeOf(session, path));
  });
});

const CONTROLS =
  '\u001b[?1049h\u001b[2J\u001b]0;title\u0007\u001b]52;c;cHdu\u0007\u001bc\u009b31m\u0090q\u009c\b\b\u202eevil\u202c\u200b\r';

const WRITE_CONTROLS = `printf '\\033[?1049h\\033[?1003h\\033]0;t\\007\\033]52;c;cHdu\\007\\033c\\302\\2331m\\342\\200\\256x\\b\\b'
name=$(printf 'f\\033[2Jx\\342\\200\\256y'); echo content > "$name"; git add -A; printf 'line \\033[31m red\\n' > base.txt
git commit -qm "$(printf 'c\\033[2J')"; git branch "$(printf 'b\\342\\200\\256r')"; printf 'line \\033]0;x\\007\\n' > base.txt`;

/** Characters that could change what a terminal shows; a newline and a tab are none. */
function findControls(text: string): readonly string[] {
  return text.match(/.{0,20}(?![\n\t])[\p{Cc}\p{Cf}]/gu) ?? [];
}

/** A hundred sessions of one moment, and a fork of each. */
async function fillStore(stage: Stage): Promise<readonly RunId[]> {
  const store = openFileStore({ home: stage.home, now: Date.now });
  const ids: RunId[] = [];
  const moment = Date.now();
  const makeId = () => makeRunId(moment, randomBytes(10));
  for (let count = 0; count < 100; count += 1) {
    const id = makeId();
    const staged = store.stage(id);
    const drafts = buildSession({ id, project: null, workspace: 'none', turns: [{ prompt: 'x', checkpoint: null }] });
    staged.append(drafts);
    await staged.commit();
    const forked = await forkSession({ store, makeId }, id, {});
    if (isRefusal(forked) || forked.session === null) throw new Error(JSON.stringify(forked));
    ids.push(id, forked.session);
  }
  return ids;
}

/**
 * Everything of a state folder that is open to others, but for what lies in workspaces, whose modes are the project's, and
 * git's packs, which git makes 0444 in folders that are not.
 */
function listOpen(home: string, stage: Stage): readonly string[] {
  const workspaces = listRuns(home).map((run) => stage.workspaceOf(run).slice(home.length + 1));
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' }) as string[];
  return names
    .filter((name) => !workspaces.some((workspace) => name.startsWith(`${workspace}/`)))
    .filter((name) => !/\/objects\/pack\/pack-[^/]+$/.test(name))
    .filter((name) => !lstatSync(join(home, name)).isSymbolicLink())
    .filter((name) => (lstatSync(join(home, name)).mode & 0o077) !== 0);
}
