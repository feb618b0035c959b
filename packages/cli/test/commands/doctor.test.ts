import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTestStore } from '../command-line.ts';

test("names the line at which the person's own ramet.json is broken", async () => {
  const store = makeTestStore();
  const folder = join(store.home, 'config/ramet');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'ramet.json'), '{\n  model: 1\n}');
  const outcome = await store.run(['doctor', '--json'], { env: { XDG_CONFIG_HOME: join(store.home, 'config') } });
  const { ok, checks } = JSON.parse(outcome.stdout);
  const found = checks.find(({ name }: { name: string }) => name === 'settings');
  expect(found).toMatchObject({ level: 'bad', message: expect.stringMatching(/ramet\.json is not JSON \(line 2, /) });
  expect({ ok, exit: outcome.exit }).toEqual({ ok: false, exit: 2 });
});
