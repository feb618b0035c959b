// Gives a whole test run a private home, temp folder and environment, removed at its end.
//
// 1. No test reads the person's git, Ramet or provider settings, nor writes below their home.
// 2. git finds no author identity: a test that commits states its own.

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Settings of the person that would change what a test sees, or let it spend their money; how long suites run is none. */
const PERSONAL =
  /^(GIT_|RAMET_(?!FAULT_)|XDG_|SSH_AUTH_SOCK$|EMAIL$|EDITOR$|VISUAL$|PAGER$|NODE_OPTIONS$|\w*_API_KEY$|\w*_BASE_URL$)/;

/** Vitest's global set-up: runs once, before the worker processes inherit the environment. */
export default function setUp(): () => void {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ramet-test-')));
  const temp = join(folder, 'tmp');
  const home = join(folder, 'home');
  mkdirSync(temp, { mode: 0o700 });
  mkdirSync(home, { mode: 0o700 });
  for (const name of Object.keys(process.env)) {
    if (PERSONAL.test(name)) delete process.env[name];
  }
  Object.assign(process.env, { TMPDIR: temp, HOME: home, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' });
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
