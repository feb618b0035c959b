import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { probeSandbox } from '@ramet/runtime/sandbox';
import { expect, test } from 'vitest';

function runDemo(path = process.env.PATH ?? '', before: readonly string[] = []) {
  const [program = '', ...args] = [...before, process.execPath, join(import.meta.dirname, 'demo.ts')];
  const { status, stdout, stderr } = spawnSync(program, args, {
    env: { ...process.env, PATH: path },
    encoding: 'utf8',
  });
  return { status, lines: stdout.trimEnd().split('\n'), stderr };
}

test('the demonstration shows the main job in about twelve lines, and what is done about writes in four', () => {
  const demo = runDemo();
  expect(demo, demo.stderr).toMatchObject({ status: 0 });
  expect(demo.lines.length).toBeGreaterThanOrEqual(15);
  expect(demo.lines.length).toBeLessThanOrEqual(19);
  const sinks = demo.lines.flatMap((line) => /; sink: (\d+)$/.exec(line)?.[1] ?? []);
  expect(sinks).toEqual(['1', '2', '2', '3']);
});

test('without bubblewrap it says so and shows the same', async (ctx) => {
  const probe = await probeSandbox();
  if (probe.kind === 'absent') ctx.skip(`tool missing: bwrap (${probe.reason})`);
  const program = probe.kind === 'present' ? probe.program : '';
  // A place where there is no such program: nothing that can be run lies at its path.
  const demo = runDemo(process.env.PATH, [program, '--dev-bind', '/', '/', '--ro-bind', '/dev/null', program, '--']);
  expect(demo, demo.stderr).toMatchObject({ status: 0 });
  expect(demo.lines[0]).toMatch(/^no sandbox .*--no-sandbox/);
  expect(demo.lines.at(-1)).toMatch(/fork of/);
});

test('it ends with one line and exit status 1 when it cannot go on', () => {
  const demo = runDemo('/nonexistent');
  expect(demo).toMatchObject({
    status: 1,
    lines: [''],
    stderr: expect.stringMatching(/^demo: npm pack failed: .+\n$/),
  });
});

test('with --serve it stays open in the browser interface, and leaves nothing when it is ended', async (ctx) => {
  const temp = mkdtempSync(join(tmpdir(), 'served-'));
  const demo = spawn(process.execPath, [join(import.meta.dirname, 'demo.ts'), '--serve'], {
    env: { ...process.env, TMPDIR: temp },
  });
  ctx.onTestFinished(() => {
    demo.kill('SIGTERM');
  });
  const ended = once(demo, 'exit');
  const { address, token } = await readAddress(demo.stdout);
  const headers = { authorization: `Bearer ${token}` };
  const ask = async (path: string) => (await fetch(`${address}${path}`, { headers })).json();
  expect(await ask('/v1/sessions')).toMatchObject({ sessions: [{ title: 'make the test pass' }, {}] });
  expect(await ask('/v1/runs')).toMatchObject({ runs: [{ state: 'completed' }, { state: 'completed' }] });
  expect(await (await fetch(`${address}/`)).text()).toContain('<title>Ramet');
  demo.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(readdirSync(temp).filter((name) => name.startsWith('ramet-'))).toEqual([]);
});

/** Where the demonstration says it is, once it does. */
async function readAddress(input: Readable): Promise<{ readonly address: string; readonly token: string }> {
  for await (const line of createInterface({ input })) {
    const [, address, token] = /^browser +(http:\/\/127\.0\.0\.1:\d+)\/#token=(\S+)$/.exec(line) ?? [];
    if (address !== undefined && token !== undefined) return { address, token };
  }
  throw new Error('the demonstration says no address');
}
