/** Commands about a run that another process owns: the daemon of the state folder, or any other. */
import { join } from 'node:path';
import { isRefusal, type RunId } from '@ramet/core';
import { makeFolder, openFileStore } from '@ramet/runtime/store';
import { writeEndpoint } from '@ramet/server/endpoint';
import { makeTestId } from '@ramet/testkit';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { makeTestStore, type TestStore } from '../command-line.ts';
import { addRun, RUN } from '../run-store.ts';

const SESSION = makeTestId(0xabcdef);

let store: TestStore;
beforeEach(() => {
  store = makeTestStore();
  store.addSession({ id: SESSION, project: null, workspace: 'none', turns: [{ checkpoint: null }] });
  addRun(store, { isDone: false });
});

async function own(id: RunId): Promise<void> {
  const log = await openFileStore({ home: store.home, now: () => 0 }).own(id);
  if (isRefusal(log)) throw new Error(log.message);
  onTestFinished(() => log.close());
}

/** Who owns the runs of these tests is this very process. */
function announceDaemon(pid = process.pid): void {
  makeFolder(join(store.home, 'daemon'));
  writeEndpoint(store.home, { url: 'http://127.0.0.1:1', socket: null, pid, started: '', version: '0' });
}

describe.each([
  { argv: ['title', SESSION, 'new'], id: SESSION },
  { argv: ['apply', SESSION], id: SESSION },
  { argv: ['remove', SESSION, '--yes'], id: SESSION },
  { argv: ['resolve', SESSION, '--offset', '1', '--retry'], id: SESSION },
  { argv: ['abandon', RUN], id: RUN },
])('$argv.0', ({ argv, id }) => {
  test('says of what the daemon owns how it is stopped there, and not to end the daemon', async () => {
    announceDaemon();
    await own(id);
    const { stderr, exit } = await store.run(argv);
    expect(exit).toBe(5);
    expect(stderr).toMatch(/^ramet: the daemon is at work in /);
    expect(stderr).toContain(`/v1/runs/${id}/interrupt`);
    expect(stderr).not.toContain('end it');
  });

  test('names the process that owns it where that is no daemon', async () => {
    announceDaemon(process.pid + 1);
    await own(id);
    const { stdout, exit } = await store.run([...argv, '--json']);
    expect(exit).toBe(5);
    expect(JSON.parse(stdout).message).toContain('is in use by');
  });
});
