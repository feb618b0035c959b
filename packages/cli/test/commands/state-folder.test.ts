import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTestStore } from '../command-line.ts';

const store = makeTestStore();

/** A file where the state folder, or one above it, should be. */
function makeFile(): string {
  const path = join(mkdtempSync(join(tmpdir(), 'state-')), 'file');
  writeFileSync(path, '');
  return path;
}

test.each([
  { name: 'a file', home: makeFile() },
  { name: 'below a file', home: join(makeFile(), 'x') },
  { name: 'in /proc', home: '/proc/nope' },
])('refuses a state folder that is $name, in one line, whatever the command', async ({ home }) => {
  for (const argv of [
    ['sessions'],
    ['show', 'abcdef'],
    ['run', '--model', 'scripted:x.json', 'go'],
    ['gc'],
    ['prune', '--to', '0'],
  ]) {
    const { exit, stdout, stderr } = await store.run([...argv, '--json'], { env: { RAMET_HOME: home } });
    expect({ exit, stderr }).toEqual({ exit: 2, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      code: 'state_unusable',
      message: expect.stringContaining('RAMET_HOME'),
    });
  }
});
