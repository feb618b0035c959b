import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Failure } from '@ramet/core/codes';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ProcessSpec, runProcess, startProcess } from '../../src/process/index.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ramet-process-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const env = { PATH: process.env.PATH ?? '/usr/bin:/bin' };

function shell(script: string, more: Partial<ProcessSpec> = {}): ProcessSpec {
  return {
    argv: ['sh', '-c', script],
    cwd: folder,
    env,
    stdout: { kind: 'collect', limitBytes: 1_000_000 },
    stderrLimitBytes: 10_000,
    ...more,
  };
}

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  return promise.then(
    () => expect.unreachable('it did not fail'),
    (error: Failure) => error,
  );
}

describe('runProcess', () => {
  test('returns both outputs and the exit code', async () => {
    const outcome = await runProcess(shell('echo out; echo err >&2; exit 3'));
    expect(outcome).toMatchObject({ exitCode: 3, signal: null, truncated: false, timedOut: false, aborted: false });
    expect(outcome.stdout.toString()).toBe('out\n');
    expect(outcome.stderr.toString()).toBe('err\n');
  });

  test('gives the child the environment it was given and nothing else', async () => {
    process.env.RAMET_TEST_SECRET = 'x';
    const outcome = await runProcess(shell('env', { env: { ...env, ONLY: 'this' } }));
    delete process.env.RAMET_TEST_SECRET;
    const names = outcome.stdout
      .toString()
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(names).toContain('ONLY');
    expect(names).not.toContain('RAMET_TEST_SECRET');
    expect(names).not.toContain('HOME');
  });

  test('hands over no descriptor but the standard three', async () => {
    const { open } = await import('node:fs/promises');
    const held = await open(join(folder, 'held'), 'w');
    const outcome = await runProcess(shell('ls -l /proc/self/fd'));
    await held.close();
    expect(outcome.stdout.toString()).not.toContain('held');
  });

  test('reads end of file where no stdin was given', async () => {
    expect((await runProcess(shell('cat; echo done'))).stdout.toString()).toBe('done\n');
  });

  test('feeds bytes and streams of bytes', async () => {
    async function* pieces() {
      yield Buffer.from('a');
      yield Buffer.from('b');
    }
    expect((await runProcess(shell('cat', { stdin: Buffer.from('x\0y') }))).stdout.toString()).toBe('x\0y');
    expect((await runProcess(shell('cat', { stdin: pieces() }))).stdout.toString()).toBe('ab');
  });

  test('survives a child that does not read its input', async () => {
    const outcome = await runProcess(shell('exit 7', { stdin: Buffer.alloc(4_000_000) }));
    expect(outcome.exitCode).toBe(7);
  });

  test('kills the child and fails when its input source fails', async () => {
    async function* broken() {
      yield Buffer.from('a');
      throw new Error('source broke');
    }
    await expect(runProcess(shell('cat > got; sleep 600', { stdin: broken() }))).rejects.toThrow('source broke');
  });

  test('keeps the first bytes up to the limit and says that it dropped the rest', async () => {
    const outcome = await runProcess(
      shell('head -c 300000 /dev/zero', { stdout: { kind: 'collect', limitBytes: 1000 } }),
    );
    expect(outcome.stdout.length).toBe(1000);
    expect(outcome.truncated).toBe(true);
    expect(outcome.exitCode).toBe(0);
  });

  test('writes output to a new file only we can read, and refuses one that exists', async () => {
    const path = join(folder, 'output');
    const outcome = await runProcess(shell('printf hello', { stdout: { kind: 'file', path } }));
    expect(outcome.stdout.length).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe('hello');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await expect(runProcess(shell('true', { stdout: { kind: 'file', path } }))).rejects.toThrow('EEXIST');
  });

  test('ends the whole group at a timeout, also a child that ignores the first signal', async () => {
    const pidFile = join(folder, 'pid');
    const outcome = await runProcess(
      shell(`trap '' TERM; (trap '' TERM; sleep 600) & echo $! > ${pidFile}; wait`, { timeoutMs: 300 }),
    );
    expect(outcome).toMatchObject({ timedOut: true, aborted: false, exitCode: null, signal: 'SIGKILL' });
    expect(existsSync(`/proc/${readFileSync(pidFile, 'utf8').trim()}/cwd`)).toBe(false);
  });

  test('ends the child when the caller aborts', async () => {
    const controller = new AbortController();
    const running = runProcess(shell('echo started; sleep 600', { signal: controller.signal }));
    setTimeout(() => controller.abort(), 100);
    expect(await running).toMatchObject({ aborted: true, timedOut: false });
  });

  test('ends what a finished child left running', async () => {
    const outcome = await runProcess(shell('sleep 600 & echo $!'));
    const pid = outcome.stdout.toString().trim();
    expect(outcome.exitCode).toBe(0);
    expect(existsSync(`/proc/${pid}/cwd`)).toBe(false);
  });

  test('names the program that is missing', async () => {
    const failure = await failureOf(runProcess(shell('', { argv: ['no-such-program-of-ramet'] })));
    expect(failure.code).toBe('process_failed');
    expect(failure.message).toContain('"no-such-program-of-ramet": no such program (ENOENT)');
  });

  test('names the working folder that is missing', async () => {
    const failure = await failureOf(runProcess(shell('true', { cwd: join(folder, 'gone') })));
    expect(failure.code).toBe('process_failed');
    expect(failure.message).toContain('working folder');
  });
});

describe('startProcess', () => {
  test('talks to a process until its input is closed', async () => {
    const running = await startProcess({ argv: ['cat'], cwd: folder, env, stderrLimitBytes: 100 });
    running.stdin.write('one');
    const first = await new Promise<Buffer>((resolve) => running.stdout.once('data', resolve));
    expect(first.toString()).toBe('one');
    running.stdin.end();
    expect(await running.ended).toMatchObject({ exitCode: 0 });
  });

  test('reports a process that was killed, and writing to it afterwards is no crash', async () => {
    const running = await startProcess({ argv: ['sleep', '600'], cwd: folder, env, stderrLimitBytes: 100 });
    running.kill();
    running.stdout.resume();
    expect(await running.ended).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    running.stdin.write('late');
  });
});
