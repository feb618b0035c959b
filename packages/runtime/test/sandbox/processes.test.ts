import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openBubblewrap } from '../../src/sandbox/bubblewrap.ts';
import { probeSandbox } from '../../src/sandbox/index.ts';
import { parseChildPid, waitForDeath } from '../../src/sandbox/namespace-end.ts';
import { leftoversOf, makeWorld, openConfined, openFree, runIn, skipWithoutSandbox, type World } from './helpers.ts';

let world: World;
beforeEach(async (ctx) => {
  await skipWithoutSandbox(ctx as never);
  world = makeWorld();
});
afterEach(() => world?.remove());

function nameFiles({ folder }: World, ...names: [string, string, string]): [string, string, string] {
  return names.map((name) => join(folder, name)) as [string, string, string];
}

/** Processes of the host whose command line holds a mark. */
function countMarked(mark: string): number {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && commandLineOf(pid).includes(mark)).length;
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

describe('the end of a command', () => {
  test('what it leaves running is dead when run returns', async () => {
    const sandbox = await openConfined(world.view);
    const script = `sleep 61.${process.pid} & setsid sleep 61.${process.pid} >/dev/null 2>&1 </dev/null & (setsid bash -c 'trap "" TERM HUP; exec -a hidden-61 sleep 61.${process.pid}' >/dev/null 2>&1 &) ; nohup sleep 61.${process.pid} >/dev/null 2>&1 & sleep 0.1; echo done`;
    const { out, exitCode } = await runIn(sandbox, script);
    expect([out, exitCode]).toEqual(['done\n', 0]);
    expect(countMarked(`61.${process.pid}`)).toBe(0);
  });

  test('a timeout ends it with everything it started, and keeps what it printed', async () => {
    const sandbox = await openConfined(world.view);
    const outcome = await runIn(
      sandbox,
      `trap "" TERM; echo before; (setsid sleep 62.${process.pid} &); sleep 62.${process.pid}`,
      {
        timeoutMs: 500,
      },
    );
    expect(outcome).toMatchObject({ timedOut: true, aborted: false, exitCode: null, out: 'before\n' });
    expect(countMarked(`62.${process.pid}`)).toBe(0);
  });

  test('it cannot write more to a file of ours than the limit, nor raise that', async () => {
    const sandbox = await openConfined(world.view);
    const path = join(world.view.scratch, '..', 'output');
    const script =
      'ulimit -f unlimited 2>/dev/null; prlimit --pid $$ --fsize=unlimited 2>/dev/null; exec head -c 1000000 /dev/zero';
    const stdout = { kind: 'file', path, limitBytes: 5000 } as const;
    const { exitCode } = await runIn(sandbox, script, { stdout });
    expect([exitCode, statSync(path).size]).toEqual([128 + 25, 5000]);
  });

  test('an abort ends it and keeps what it printed', async () => {
    const sandbox = await openConfined(world.view);
    const controller = new AbortController();
    const onStdout = () => controller.abort();
    const outcome = await runIn(sandbox, `echo before; sleep 63.${process.pid}`, {
      signal: controller.signal,
      onStdout,
    });
    expect(outcome).toMatchObject({ aborted: true, timedOut: false, exitCode: null, out: 'before\n' });
    expect(countMarked(`63.${process.pid}`)).toBe(0);
  });

  test('an abort before the start runs nothing to its end', async () => {
    const sandbox = await openConfined(world.view);
    const outcome = await runIn(sandbox, `sleep 64.${process.pid}; echo after`, { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ aborted: true, out: '' });
    expect(countMarked(`64.${process.pid}`)).toBe(0);
  });

  test('exit codes come through, signals as 128 + n, and a missing program is an outcome', async () => {
    const sandbox = await openConfined(world.view);
    expect(await runIn(sandbox, 'exit 7')).toMatchObject({ exitCode: 7, signal: null });
    expect(await runIn(sandbox, 'kill -SEGV $$')).toMatchObject({ exitCode: 139, signal: null });
    expect((await runIn(sandbox, '', { argv: ['no-such-program'] })).exitCode).not.toBe(0);
  });

  test('a folder that is missing is a failure that names it', async () => {
    const sandbox = await openConfined(world.view);
    await expect(runIn(sandbox, 'true', { cwd: 'gone' })).rejects.toMatchObject({
      code: 'process_failed',
      message: expect.stringContaining('/work/gone'),
    });
    const lost = await openConfined({ ...world.view, workspace: join(world.folder, 'lost') });
    await expect(runIn(lost, 'true')).rejects.toMatchObject({ code: 'process_failed' });
  });

  test('a command does not outlive a Ramet that is killed', async () => {
    const module = new URL('../../src/sandbox/index.ts', import.meta.url);
    const { workspace, scratch } = world.view;
    const program = `
      import { openSandbox } from ${JSON.stringify(module.href)};
      const sandbox = await openSandbox('bubblewrap', ${JSON.stringify({ workspace, scratch, readOnly: [], frozen: [] })});
      const command = { argv: ['sh', '-c', 'touch started; (setsid sleep 67.${process.pid} &); sleep 67.${process.pid}'], cwd: '', stderrLimitBytes: 0 };
      await sandbox.run({ ...command, stdout: { kind: 'collect', limitBytes: 0 } });`;
    const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', program], { stdio: 'ignore' });
    await expect.poll(() => countMarked(`sleep\x0067.${process.pid}`), { timeout: 20_000 }).toBe(2);
    child.kill('SIGKILL');
    await expect.poll(() => countMarked(`sleep\x0067.${process.pid}`), { timeout: 20_000 }).toBe(0);
  });

  test('a command does not begin when its Ramet was killed before bubblewrap could notice', async () => {
    const probe = await probeSandbox();
    if (probe.kind === 'absent') return expect.unreachable(probe.reason);
    const [late, begun, ended] = nameFiles(world, 'late', 'begun', 'ended');
    // bubblewrap that gets to ask for its end with its parent only when that one is dead.
    const script = `touch ${begun}; while kill -0 $PPID 2>/dev/null; do sleep 0.02; done; ${probe.program} "$@"; touch ${ended}`;
    writeFileSync(late, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const module = new URL('../../src/sandbox/bubblewrap.ts', import.meta.url);
    const { workspace, scratch } = world.view;
    const program = `
      import { openBubblewrap } from ${JSON.stringify(module.href)};
      const view = ${JSON.stringify({ workspace, scratch, readOnly: [], frozen: [] })};
      const sandbox = openBubblewrap(view, ${JSON.stringify({ program: late, disableUserns: probe.disableUserns, hostEnv: {} })});
      const command = { argv: ['sh', '-c', 'touch started'], cwd: '', stderrLimitBytes: 0 };
      await sandbox.run({ ...command, stdout: { kind: 'collect', limitBytes: 0 } });`;
    const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', program], { stdio: 'ignore' });
    await expect.poll(() => existsSync(begun), { timeout: 20_000 }).toBe(true);
    child.kill('SIGKILL');
    await expect.poll(() => existsSync(ended), { timeout: 20_000 }).toBe(true);
    expect(existsSync(join(workspace, 'started'))).toBe(false);
  });

  test('a command does not begin when it was aborted before bubblewrap could notice', async () => {
    const probe = await probeSandbox();
    if (probe.kind === 'absent') return expect.unreachable(probe.reason);
    const [late, begun, ended] = nameFiles(world, 'late', 'begun', 'ended');
    // bubblewrap whose processes live on when it is told to end.
    const inner = `touch ${begun}; while kill -0 $PPID 2>/dev/null; do sleep 0.02; done; ${probe.program} "$@"; touch ${ended}`;
    writeFileSync(late, `#!/bin/sh\nsetsid sh -c '${inner}' late "$@" & wait\n`, { mode: 0o755 });
    const sandbox = openBubblewrap(world.view, { program: late, disableUserns: probe.disableUserns, hostEnv: {} });
    const controller = new AbortController();
    const running = runIn(sandbox, 'touch started', { signal: controller.signal });
    await expect.poll(() => existsSync(begun), { timeout: 20_000 }).toBe(true);
    controller.abort();
    expect((await running).aborted).toBe(true);
    await expect.poll(() => existsSync(ended), { timeout: 20_000 }).toBe(true);
    expect(existsSync(join(world.workspace, 'started'))).toBe(false);
  });

  test('what lives on of a sandbox is killed', async () => {
    const bare = ['--unshare-user', '--unshare-pid', '--ro-bind', '/', '/', '--proc', '/proc'];
    const probe = await probeSandbox();
    if (probe.kind === 'absent') return expect.unreachable(probe.reason);
    const child = spawn(probe.program, [...bare, '--json-status-fd', '3', 'sleep', `69.${process.pid}`], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    const [status] = (await once(child.stdio[3] as Readable, 'data')) as [Buffer];
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(countMarked(`sleep\x0069.${process.pid}`)).toBeGreaterThan(0);
    await waitForDeath(parseChildPid(status.toString()) ?? expect.unreachable());
    await expect.poll(() => countMarked(`sleep\x0069.${process.pid}`)).toBe(0);
  });

  test('runs follow one another', async () => {
    const sandbox = await openConfined(world.view);
    await Promise.all(
      ['a', 'b', 'c'].map((name) => runIn(sandbox, `echo ${name} >> order; sleep 0.05; echo ${name} >> order`)),
    );
    expect(readFileSync(join(world.workspace, 'order'), 'utf8')).toBe('a\na\nb\nb\nc\nc\n');
  });
});

describe('output and input', () => {
  test('a flood is read, cut and counted without growing memory', async () => {
    const sandbox = await openConfined(world.view);
    const before = process.memoryUsage().rss;
    const outcome = await runIn(sandbox, 'head -c 1073741824 /dev/zero; echo; echo end', {
      stdout: { kind: 'collect', limitBytes: 1000, tailBytes: 500 },
    });
    expect(outcome.stdout.length).toBe(1000);
    expect(outcome.droppedBytes.stdout).toBe(1073741824 + 5 - 1000);
    expect(outcome.truncated).toBe(true);
    expect(outcome.out.endsWith('\0\nend\n')).toBe(true);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });

  test('a command that closes its output goes on to its end', async () => {
    const { out, exitCode } = await runIn(
      await openConfined(world.view),
      'echo first; exec >&- 2>&-; touch closed; exit 4',
    );
    expect([out, exitCode]).toEqual(['first\n', 4]);
    expect(statSync(join(world.workspace, 'closed')).size).toBe(0);
  });

  test('output can be opened again by its name, as scripts do', async () => {
    const script = 'echo a > /dev/stderr; echo b > /dev/stdout; echo c | tee /dev/stderr; echo d >> /dev/fd/2';
    for (const sandbox of [await openConfined(world.view), await openFree(world.view)]) {
      expect(await runIn(sandbox, script)).toMatchObject({ out: 'b\nc\n', err: 'a\nc\nd\n' });
    }
  });

  test('many runs at once leave no descriptor open', async () => {
    const open = () => readdirSync('/proc/self/fd').length;
    const sandboxes = await Promise.all(Array.from({ length: 10 }, () => openFree(world.view)));
    await runIn(sandboxes[0] ?? expect.unreachable(), 'true');
    const before = open();
    const left = await leftoversOf(world, async () => {
      for (let round = 0; round < 4; round += 1) {
        const outs = await Promise.all(sandboxes.map((sandbox, index) => runIn(sandbox, `echo ${index}`)));
        expect(outs.map(({ out }) => out)).toEqual(sandboxes.map((_, index) => `${index}\n`));
      }
    });
    expect(left).toEqual([]);
    // Some pipes wait for their use: they are made in batches of 16.
    expect(open() - before).toBeLessThanOrEqual(16);
  });

  test('stdin is what was given, and nothing otherwise', async () => {
    const sandbox = await openConfined(world.view);
    expect((await runIn(sandbox, 'wc -c')).out.trim()).toBe('0');
    expect((await runIn(sandbox, 'cat', { stdin: Buffer.from('given') })).out).toBe('given');
  });

  test('a file sink holds all of it, readable by its owner only', async () => {
    const path = join(world.folder, 'out');
    const outcome = await runIn(await openConfined(world.view), 'printf abc', { stdout: { kind: 'file', path } });
    expect([outcome.out, readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['', 'abc', 0o600]);
  });

  test('variables of the command are set', async () => {
    expect((await runIn(await openConfined(world.view), 'echo "$A"', { env: { A: 'b c' } })).out).toBe('b c\n');
  });

  test('/tmp keeps its content between the commands of a sandbox', async () => {
    const sandbox = await openConfined(world.view);
    await runIn(sandbox, 'echo kept > /tmp/kept; echo home > ~/kept');
    expect((await runIn(sandbox, 'cat /tmp/kept ~/kept')).out).toBe('kept\nhome\n');
  });
});

describe('without a sandbox', () => {
  test('a command runs in the real folder, with no secret of the environment', async () => {
    const names = ['RAMET_X', 'GIT_DIR', 'SOME_API_KEY', 'GH_TOKEN', 'SSH_AUTH_SOCK', 'AWS_SECRET_ACCESS_KEY'];
    const saved = names.map((name) => [name, process.env[name]] as const);
    for (const name of names) process.env[name] = `value-of-${name}`;
    try {
      const { out } = await runIn(await openFree(world.view), 'pwd -P; env');
      expect(out.split('\n')[0]).toBe(execFileSync('realpath', [world.workspace]).toString().trim());
      expect(out).not.toContain('value-of-');
      expect(out).toContain(`TMPDIR=${world.view.scratch}`);
    } finally {
      for (const [name, value] of saved) {
        delete process.env[name];
        if (value !== undefined) process.env[name] = value;
      }
    }
  });

  test('its process group ends with it', async () => {
    const { out } = await runIn(await openFree(world.view), `sleep 65.${process.pid} & echo done`);
    expect(out).toBe('done\n');
    expect(countMarked(`65.${process.pid}`)).toBe(0);
  });

  test('it says where the workspace is', async () => {
    const sandbox = await openFree(world.view);
    expect([sandbox.kind, sandbox.guestPath]).toEqual(['none', world.workspace]);
  });
});
