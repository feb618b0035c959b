/** The packed command, run as the separate processes a person would start. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** What one run of the command answered. */
export interface Answer {
  readonly code: number;
  /** The one JSON document on standard output. */
  readonly json: Record<string, unknown>;
  readonly milliseconds: number;
}

export interface Command {
  /** Runs `ramet <args> --json`; throws when the exit code is not `expected` (default 0). */
  run(args: readonly string[], expected?: number): Answer;
  /** Runs `ramet <args>`, which must succeed, and answers its standard output. */
  print(args: readonly string[]): string;
  /**
   * Starts `ramet <args>` with a pipe for its standard output. Ctrl-C at this terminal does not reach it: it hears of the
   * end from whoever started it, once.
   */
  start(args: readonly string[]): ChildProcess;
}

/**
 * Packs the command as it is published, unpacks it, and lets it find its native add-ons. The set-up has built it; building
 * it once more would take the build away from whoever runs it now.
 */
export function packCommand(root: string, folder: string, env: NodeJS.ProcessEnv): Command {
  const packed = spawnSync(
    'npm',
    ['pack', '-w', 'packages/cli', '--silent', '--ignore-scripts', '--pack-destination', folder],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  if (packed.status !== 0) throw new Error(`npm pack failed: ${packed.error?.message ?? packed.stderr.trim()}`);
  const tarball = packed.stdout.trim().split('\n').at(-1) ?? '';
  const app = join(folder, 'app');
  mkdirSync(app);
  const unpacked = spawnSync('tar', ['xzf', join(folder, tarball), '-C', app], { encoding: 'utf8' });
  if (unpacked.status !== 0) throw new Error(`tar failed: ${unpacked.error?.message ?? unpacked.stderr.trim()}`);
  symlinkSync(join(root, 'node_modules'), join(app, 'node_modules'));
  const bin = join(app, 'package', 'bin', 'ramet.mjs');
  return {
    run: (args, expected = 0) => {
      const { stdout, ...rest } = runCommand(bin, [...args, '--json'], { env, expected });
      return { ...rest, json: JSON.parse(stdout) as Record<string, unknown> };
    },
    print: (args) => runCommand(bin, args, { env, expected: 0 }).stdout,
    start: (args) =>
      spawn(process.execPath, [bin, ...args], {
        env,
        cwd: env.DEMO_PROJECT,
        detached: true,
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
  };
}

function runCommand(
  bin: string,
  args: readonly string[],
  options: { readonly env: NodeJS.ProcessEnv; readonly expected: number },
): { readonly code: number; readonly stdout: string; readonly milliseconds: number } {
  const { env, expected } = options;
  const started = performance.now();
  const cwd = env.DEMO_PROJECT;
  const done = spawnSync(process.execPath, [bin, ...args], { env, encoding: 'utf8', ...(cwd ? { cwd } : {}) });
  const milliseconds = performance.now() - started;
  if (done.status !== expected) {
    const said = `${done.stdout}${done.stderr}`.trim().split('\n').slice(-5).join('\n');
    throw new Error(`ramet ${args.join(' ')} ended with ${done.status ?? done.signal}, expected ${expected}:\n${said}`);
  }
  return { code: done.status, stdout: done.stdout, milliseconds };
}
