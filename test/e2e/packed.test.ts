/** The command as it is published: packed, installed, and run as a person would. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, extname, join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { BIN, findProgram, NODE_PATH, parseAnswer, ROOT, runProgram, startProgram } from './support/command.ts';
import { type ServedDaemon, waitForDaemon } from './support/daemon.ts';
import { callShell, openStage, skipWithoutSandbox } from './support/stage.ts';

/** A Node of this machine that is too old, if there is one. */
async function findOldNode(): Promise<string | undefined> {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  for (const folder of [...folders, '/usr/bin', '/usr/local/bin']) {
    const program = join(folder, 'node');
    const asked = await runProgram(program, ['--version'], { cwd: '/', env: {} }).catch(() => undefined);
    const major = Number(/^v(\d+)\./.exec(asked?.stdout ?? '')?.[1] ?? Number.NaN);
    if (major < 24) return program;
  }
  return undefined;
}

async function skipWithoutRegistry(ctx: TestContext): Promise<void> {
  const env = { ...process.env };
  const asked = await runProgram('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=10000'], { cwd: ROOT, env });
  if (asked.code !== 0) ctx.skip('the package registry cannot be reached');
}

test('npm install -g of the tarball gives a command that does the main job', { timeout: 240_000 }, async (ctx) => {
  await skipWithoutSandbox(ctx);
  await skipWithoutRegistry(ctx);
  const stage = openStage(ctx);
  const { folder } = stage.area;
  // Without scripts: the prepack script would replace the build under other tests.
  const pack = ['pack', '-w', 'packages/cli', '--ignore-scripts', '--silent', '--pack-destination', folder];
  const npm = (args: readonly string[], cwd: string) => runProgram('npm', args, { cwd, env: process.env });
  expect(await npm(pack, ROOT)).toMatchObject({ code: 0 });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  const prefix = join(folder, 'prefix');
  const install = ['install', '-g', '--prefix', prefix, '--no-audit', '--no-fund', join(folder, tarball)];
  const installed = await npm(install, folder);
  expect(installed.code, installed.stderr).toBe(0);
  const installs = readdirSync(join(prefix, 'lib/node_modules'));
  expect(installs).toEqual(['ramet']);

  const env = { ...stage.env, PATH: `${join(prefix, 'bin')}${delimiter}${NODE_PATH}` };
  const ramet = async (...args: string[]) => {
    const ended = await runProgram('ramet', args, { cwd: stage.repository, env });
    expect(ended.code, `${args.join(' ')}: ${ended.stderr}`).toBe(0);
    return ended;
  };
  expect((await ramet('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  const model = stage.writeScript([callShell('echo 1 >> made.txt'), { text: 'done' }]);
  const { session } = parseAnswer(await ramet('run', '--model', model, '--json', 'go')) as { session: string };
  const child = (await ramet('fork', session)).stdout.trim();
  await ramet('run', '--session', child, '--model', model, 'again');
  await ramet('remove', session, '--yes');
  expect(parseAnswer(await ramet('verify', child, '--json'))).toMatchObject({ ok: true });

  const serving = startProgram('ramet', ['serve', '--port', '0', '--json'], { cwd: stage.repository, env });
  ctx.onTestFinished(async () => {
    serving.child.kill('SIGKILL');
    await serving.ended;
  });
  await expectInterface(await waitForDaemon(serving));
});

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** The page is there, with all that it names: each of its own type, and nothing may run that is not the server's. */
async function expectInterface({ listening: { address } }: ServedDaemon): Promise<void> {
  const page = await fetch(`${address}/`);
  expect(page.headers.get('content-type')).toMatch(/^text\/html/);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
  const named = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
  expect(named.map((path) => extname(path))).toEqual(expect.arrayContaining(['.js', '.css', '.svg']));
  for (const path of named) {
    const file = await fetch(new URL(path, address));
    expect(file.status, path).toBe(200);
    expect(file.headers.get('content-type'), path).toContain(TYPES[extname(path)] ?? 'no such type');
    expect(file.headers.get('x-content-type-options'), path).toBe('nosniff');
    expect((await file.bytes()).length, path).toBeGreaterThan(0);
  }
}

test('npx finds the command in the checkout', async (ctx) => {
  const stage = openStage(ctx);
  if (findProgram('npx') === undefined) ctx.skip('tool missing: npx');
  const env = { ...stage.env };
  const ended = await runProgram('npx', ['--no-install', 'ramet', 'sessions', '--json'], { cwd: ROOT, env });
  expect(ended.code, ended.stderr).toBe(0);
  expect(parseAnswer(ended)).toEqual({ sessions: [] });
});

test('a Node that is too old is told in one line', async (ctx) => {
  const stage = openStage(ctx);
  const old = await findOldNode();
  if (old === undefined) return ctx.skip('there is no Node older than 24 here');
  for (const args of [['--version'], ['run', 'x', '--json'], []]) {
    const ended = await runProgram(old, [BIN, ...args], { cwd: stage.repository, env: stage.env });
    expect(ended).toMatchObject({ code: 1, signal: null, stdout: '' });
    expect(ended.stderr).toMatch(/^ramet: needs Node 24 or newer, .+\n$/);
  }
});

test("README's line makes a command of every folder, whatever Node is on PATH", async (ctx) => {
  const stage = openStage(ctx);
  const link = /^ln -sf "\$PWD\/bin\/ramet" \/usr\/local\/bin\/ramet/m.exec(
    readFileSync(join(ROOT, 'README.md'), 'utf8'),
  )?.[0];
  if (link === undefined) throw new Error('README has no such line');
  const programs = join(stage.area.folder, 'programs');
  mkdirSync(programs);
  const here = link.replace('/usr/local/bin', programs);
  expect(await runProgram('sh', ['-c', here], { cwd: ROOT, env: process.env })).toMatchObject({ code: 0 });
  const old = await findOldNode();
  const path = [programs, ...(old === undefined ? [] : [dirname(old)]), '/usr/bin', '/bin'].join(delimiter);
  const env = { ...stage.env, PATH: path };
  const ended = await runProgram('ramet', ['sessions', '--json'], { cwd: stage.repository, env });
  expect(ended.code, ended.stderr).toBe(0);
  expect(parseAnswer(ended)).toEqual({ sessions: [] });
});

test('a checkout that is not set up is told in one line', async (ctx) => {
  const stage = openStage(ctx);
  const launcher = join(stage.area.folder, 'clone/bin/ramet');
  mkdirSync(dirname(launcher), { recursive: true });
  copyFileSync(join(ROOT, 'bin/ramet'), launcher);
  const ended = await runProgram(launcher, ['--version'], { cwd: stage.repository, env: stage.env });
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toMatch(/^ramet: this checkout is not set up; .+\n$/);
});
