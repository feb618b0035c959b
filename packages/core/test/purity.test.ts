import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { auditStore, sha256 } from '@ramet/testkit';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { GOLDEN, type GoldenRun, readGoldenRuns } from './golden-runs.ts';
import { replay } from './replay.ts';

const RUNS = readGoldenRuns();
const EXPECTED = JSON.parse(readFileSync(join(GOLDEN, 'expected.json'), 'utf8')) as Record<string, unknown>;

/** What a browser has and JavaScript alone does not; nothing of Node, no clock and no randomness. */
const BROWSER = { TextEncoder, TextDecoder, atob, btoa };

const FORBIDDEN = `
  Date = undefined; Math.random = undefined; Promise = undefined; Intl = undefined;
`;

let code: string;

beforeAll(async () => {
  const bundle = await build({
    entryPoints: [join(import.meta.dirname, 'replay.ts')],
    bundle: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'core',
    write: false,
    logLevel: 'silent',
  });
  code = bundle.outputFiles[0]?.text ?? '';
});

function replayInBrowser(run: GoldenRun): string {
  const context = createContext({ ...BROWSER, run, sha256 });
  return runInContext(`${FORBIDDEN} ${code}; core.replay(run, sha256)`, context) as string;
}

describe('the golden logs', () => {
  it('are those the answers were recorded of', () => {
    expect(RUNS.map(({ name }) => name)).toEqual(Object.keys(EXPECTED));
  });

  it.each(RUNS)('$name give the recorded answers', (run) => {
    expect(JSON.parse(replay(run, sha256))).toMatchObject(EXPECTED[run.name] ?? {});
  });

  it.each(RUNS)('$name give the same answers in a bundle for browsers, without clock, randomness and Node', (run) => {
    expect(replayInBrowser(run)).toBe(replay(run, sha256));
  });

  it('pass the auditor', () => {
    const home = mkdtempSync(join(tmpdir(), 'golden-'));
    try {
      cpSync(join(GOLDEN, 'runs'), join(home, 'runs'), { recursive: true });
      setModes(join(home, 'runs'));
      expect(auditStore(home)).toEqual([]);
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});

/** Git keeps no modes: folders 0700, payloads and all segments but the last 0400. */
function setModes(folder: string): void {
  chmodSync(folder, 0o700);
  const entries = readdirSync(folder, { withFileTypes: true }).sort((left, right) => (left.name < right.name ? -1 : 1));
  const segments = entries.filter((entry) => entry.name.endsWith('.jsonl'));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) setModes(path);
    else chmodSync(path, entry === segments.at(-1) ? 0o600 : 0o400);
  }
}
