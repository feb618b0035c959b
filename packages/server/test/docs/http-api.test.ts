/** Runs every example of docs/http-api.md, in one shell, against a daemon. */
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal } from '@ramet/core';
import { callShell, type GraphHarness, makeGraphHarness } from '@ramet/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Serving, serve } from '../../src/serve/index.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/http-api.md'), 'utf8');
const examples = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text]) => text ?? '');

let h: GraphHarness;
let serving: Serving;

beforeAll(async () => {
  h = makeGraphHarness();
  // A fork plays its script from the beginning.
  const greet = 'if test -f hello.txt; then echo bonjour > hello.txt; else echo hello > hello.txt; fi';
  const model = h.writeScript([callShell(greet), { text: 'done' }]);
  const services = { ...h.servicesOf(), env: { ...h.services.env, RAMET_MODEL: model } };
  const options = { services, cwd: h.repository, version: '0.0.0-test', host: '127.0.0.1', port: 0 };
  const started = await serve({ ...options, allowRemote: false, web: null });
  if (isRefusal(started)) throw new Error(started.message);
  serving = started;
});

afterAll(async () => {
  await serving.close();
  h.remove();
});

it('has examples that do what they say', async (context) => {
  for (const tool of ['curl', 'jq']) {
    const isThere = spawnSync(tool, ['--version']).status === 0;
    context.skip(!isThere, `tool missing: ${tool}`);
  }
  const script = join(h.area.folder, 'examples.sh');
  writeFileSync(script, `set -eu\n${examples.map((text, index) => `echo "== ${index}"\n${text}`).join('')}`);
  const { status, output } = await runBash(script);
  expect([status, output]).toEqual([0, expect.any(String)]);
  const parts = output.split(/^== \d+\n/m).slice(1);
  expect(parts).toHaveLength(examples.length);
  expect(parts[0]).toContain('"0.0.0-test"\ntrue\n');
  expect(parts[1]).toContain('"reason": "completed"');
  expect(parts[2]).toContain('"parent"\n"hello.txt"');
  expect(parts[3]).toContain('-hello\n+bonjour');
  expect(parts[5]).toContain('409\n"write_replay_hazard"\n"exec"\n"idle"');
  expect(parts[6]).toContain('id: 3\n');
});

/** Not waited for by reading its output: streams that an example left would hold that open. */
function runBash(script: string): Promise<{ readonly status: number | null; readonly output: string }> {
  const env = { PATH: process.env.PATH, HOME: h.area.home, RAMET_URL: serving.url, RAMET_TOKEN: serving.token };
  const place = `${script}.output`;
  const descriptor = openSync(place, 'w');
  const child = spawn('bash', [script], { cwd: h.repository, env, stdio: ['ignore', descriptor, descriptor] });
  closeSync(descriptor);
  return new Promise((resolve) =>
    child.on('exit', (status) => resolve({ status, output: readFileSync(place, 'utf8') })),
  );
}
