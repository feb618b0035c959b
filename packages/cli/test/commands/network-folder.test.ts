/** A state folder on a network file system, as the kernel would name it: none can be mounted here. */
import { expect, test, vi } from 'vitest';
import { makeTestStore } from '../command-line.ts';

const NFS = 0x6969;

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>();
  return { ...fs, statfsSync: (path: string) => ({ ...fs.statfsSync(path), type: NFS }) };
});

const store = makeTestStore();

test.each([{ argv: ['sessions'] }, { argv: ['runs'] }, { argv: ['gc'] }])(
  '$argv refuses a state folder on NFS, and says what to do',
  async ({ argv }) => {
    const { stdout, stderr, exit } = await store.run([...argv, '--json']);
    expect({ stderr, exit }).toEqual({ stderr: '', exit: 3 });
    expect(JSON.parse(stdout)).toEqual({
      code: 'network_file_system',
      message: expect.stringMatching(/ is on NFS, .*RAMET_HOME.*RAMET_ALLOW_NETWORK_FS=1/),
      home: store.home,
      fileSystem: 'NFS',
    });
  },
);

test('a person who says that only this machine uses it is believed', async () => {
  const { exit } = await store.run(['sessions'], { env: { RAMET_ALLOW_NETWORK_FS: '1' } });
  expect(exit).toBe(0);
});
