import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

// Inside the repository, so that the tests in it find vitest.
mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
const folder = mkdtempSync(join(root, 'node_modules/.cache/run-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Run {
  readonly status: number | null;
  readonly lastLine: string | undefined;
  readonly output: string;
}

function runVitest(name: string, text: string, env: Readonly<Record<string, string>> = {}): Run {
  const home = join(folder, name);
  mkdirSync(home);
  writeFileSync(join(home, 'a.test.ts'), `import { expect, test } from 'vitest';\n${text}\n`);
  const scripts = join(root, 'scripts/vitest');
  const config = `export default { test: {
    include: ['*.test.ts'], pool: 'forks', globalSetup: ['${scripts}/private-environment.ts'],
    setupFiles: ['${scripts}/fail-on-warning.ts'], reporters: ['default', '${scripts}/reporter.ts'] } };`;
  writeFileSync(join(home, 'vitest.config.ts'), config);
  const { CI, FORCE_COLOR, ...inherited } = process.env;
  const vitest = spawnSync(join(root, 'node_modules/.bin/vitest'), ['run', '--root', home], {
    cwd: home,
    encoding: 'utf8',
    env: { ...inherited, NO_COLOR: '1', ...env },
  });
  return {
    status: vitest.status,
    lastLine: vitest.stdout.trimEnd().split('\n').at(-1),
    output: vitest.stdout + vitest.stderr,
  };
}

describe('a test run', () => {
  test('ends with its counts and tells each skip', () => {
    const run = runVitest(
      'skips',
      `test('passes', () => {}); test('lacks', (context) => context.skip('tool missing: bwrap'));`,
    );
    expect(run).toMatchObject({ status: 0, lastLine: '1 passed, 0 failed, 1 skipped' });
    expect(run.output).toContain('skipped: a.test.ts > lacks (tool missing: bwrap)');
  });

  test('fails in CI when a tool is missing', () => {
    const text = `test('lacks', (context) => context.skip('tool missing: bwrap'));`;
    const run = runVitest('ci', text, { CI: 'true' });
    expect(run).toMatchObject({ status: 1, lastLine: '0 passed, 0 failed, 1 skipped' });
    expect(run.output).toContain('not allowed to be skipped when CI=true: a.test.ts > lacks');
  });

  test('passes in CI when the kernel forbids user namespaces', () => {
    const text = `test('lacks', (context) => context.skip('kernel forbids user namespaces'));`;
    const run = runVitest('kernel', text, { CI: 'true' });
    expect(run).toMatchObject({ status: 0, lastLine: '0 passed, 0 failed, 1 skipped' });
  });

  test('fails, and counts it, when a test or a file fails', () => {
    expect(runVitest('fails', `test('a', () => expect(1).toBe(2));`)).toMatchObject({
      status: 1,
      lastLine: '0 passed, 1 failed, 0 skipped',
    });
    expect(runVitest('breaks', `throw new Error('broken');`)).toMatchObject({
      status: 1,
      lastLine: '0 passed, 1 failed, 0 skipped',
    });
  });

  test('fails when Node warns', () => {
    const text = `test('warns', async () => { process.emitWarning('careful'); await new Promise((r) => setTimeout(r, 50)); });`;
    const run = runVitest('warns', text);
    expect(run.status).toBe(1);
    expect(run.output).toContain('careful');
  });

  test('sees nothing of the person, and leaves nothing behind', () => {
    const text = `
      import { execFileSync } from 'node:child_process';
      import { writeFileSync } from 'node:fs';
      import { tmpdir } from 'node:os';
      test('environment', () => {
        const { HOME, RAMET_HOME, GIT_DIR, OPENAI_API_KEY, XDG_STATE_HOME } = process.env;
        expect({ RAMET_HOME, GIT_DIR, OPENAI_API_KEY, XDG_STATE_HOME }).toEqual({});
        const config = execFileSync('git', ['config', '--global', '--list'], { encoding: 'utf8' });
        writeFileSync('seen.json', JSON.stringify({ HOME, TMPDIR: tmpdir(), config }));
      });`;
    const run = runVitest('private', text, {
      HOME: '/nonexistent',
      RAMET_HOME: '/nonexistent',
      GIT_DIR: '/nonexistent',
      OPENAI_API_KEY: 'secret',
      XDG_STATE_HOME: '/nonexistent',
    });
    expect(run).toMatchObject({ status: 0, lastLine: '1 passed, 0 failed, 0 skipped' });
    const seen: unknown = JSON.parse(readFileSync(join(folder, 'private/seen.json'), 'utf8'));
    expect(seen).toMatchObject({ config: '' });
    const { HOME, TMPDIR } = seen as { HOME: string; TMPDIR: string };
    expect([HOME, TMPDIR].map((path) => existsSync(path))).toEqual([false, false]);
    expect(HOME).toMatch(/ramet-test-\w+\/home$/);
  });
});
