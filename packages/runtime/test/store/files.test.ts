import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { RunId } from '@ramet/core';
import { forkSession } from '@ramet/runtime/fork';
import type { FileStore } from '@ramet/runtime/store';
import { auditStore, buildSession, buildTurn, makeTestId, sha256 } from '@ramet/testkit';
import { countIds, ownOf } from '@ramet/testkit/store-contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectDone, FIRST, makeHome, makeSession, openTestStore, SECOND, segmentsOf } from './helpers.ts';

const LARGE = 'large '.repeat(60_000);
const DIGEST = sha256(LARGE);

let home: string;
let store: FileStore;

beforeEach(() => {
  home = makeHome();
  store = openTestStore(home, 1_500);
});

async function makeLarge(): Promise<void> {
  const staged = store.stage(FIRST);
  staged.append(buildSession({ id: FIRST, turns: [{ prompt: LARGE }, {}] }));
  await staged.commit();
}

function pathOf(id: RunId, digest = DIGEST): string {
  return join(store.pathsOf(id).blobs, digest);
}

describe('whatever the umask', () => {
  const old = process.umask();
  afterEach(() => void process.umask(old));
  for (const mask of [0o000, 0o022, 0o077]) {
    it(`${mask.toString(8)}, everything is the owner's alone`, async () => {
      process.umask(mask);
      await makeLarge();
      const owner = await ownOf(store, FIRST);
      for (let turn = 3; turn < 9; turn += 1) await owner.append(buildTurn({}, turn), { durable: true });
      owner.close();
      expectDone(await forkSession({ store, makeId: countIds() }, FIRST, { idempotencyKey: 'k' }));
      store.stage(SECOND).append(buildSession({ id: SECOND, turns: [{ prompt: LARGE }] }));
      const open = [home, ...readdirSync(home, { recursive: true }).map((name) => join(home, String(name)))].filter(
        (path) => (lstatSync(path).mode & 0o077) !== 0,
      );
      expect(open).toEqual([]);
      expect(auditStore(home)).toEqual([]);
    });
  }
});

describe('payloads', () => {
  it('half-written by a crash are written again by the next line that needs them', async () => {
    await makeLarge();
    chmodSync(pathOf(FIRST), 0o600);
    writeFileSync(pathOf(FIRST), LARGE.slice(0, 1000));
    const owner = await ownOf(store, FIRST);
    await owner.append(buildTurn({ prompt: LARGE }, 3), { durable: true });
    owner.close();
    expect(readFileSync(pathOf(FIRST), 'utf8')).toBe(LARGE);
    expect(auditStore(home)).toEqual([]);
  });

  it('that a crash left as temporaries are removed by the next owner', async () => {
    await makeLarge();
    const { folder, log, blobs } = store.pathsOf(FIRST);
    for (const path of [folder, log, blobs]) writeFileSync(join(path, 'x.1.tmp'), 'half');
    (await ownOf(store, FIRST)).close();
    expect(auditStore(home)).toEqual([]);
  });

  it('that are missing, short or a link are missing in a fork too, which says so', async () => {
    const canary = join(home, 'canary');
    const spoilings = [
      () => rmSync(pathOf(FIRST)),
      () => writeFileSync(pathOf(FIRST), 'short'),
      () => symlinkSync(canary, pathOf(FIRST)),
    ];
    await makeLarge();
    writeFileSync(canary, LARGE);
    for (const [index, spoil] of spoilings.entries()) {
      if (index > 0) rmSync(pathOf(FIRST), { force: true });
      spoil();
      const fork = expectDone(await forkSession({ store, makeId: countIds(100 + index) }, FIRST, {}));
      expect(fork.missingPayloads).toEqual([DIGEST]);
      expect(store.read(fork.session ?? FIRST)?.readPayload(DIGEST)).toBeNull();
    }
    expect(store.read(FIRST)?.readPayload(DIGEST)).toBeNull();
  });

  it('named by a path in a foreign log lead nowhere', async () => {
    await makeSession(store, 1);
    writeFileSync(join(home, 'canary'), 'secret');
    const evil = { $blob: '../../../canary', bytes: 6, encoding: 'utf8' };
    const last = segmentsOf(store).at(-1) ?? '';
    const lines = readFileSync(last, 'utf8').trimEnd().split('\n');
    const before = JSON.parse(lines.at(-1) ?? '') as { seq: number };
    const foreign = {
      seq: before.seq + 1,
      prev: sha256(lines.at(-1) ?? ''),
      time: '2030-01-01T00:00:00.000Z',
      type: 'x',
      evil,
    };
    writeFileSync(last, `${lines.join('\n')}\n${JSON.stringify(foreign)}\n`);
    const owner = await ownOf(store, FIRST);
    await owner.append(buildTurn({}, 2), { durable: true });
    owner.close();
    const fork = expectDone(await forkSession({ store, makeId: countIds() }, FIRST, {}));
    expect(readdirSync(join(store.pathsOf(fork.session ?? FIRST).folder, '..'))).not.toContain('canary');
    expect(store.read(FIRST)?.readPayload('../../../canary')).toBeNull();
    expect(readdirSync(store.pathsOf(fork.session ?? FIRST).folder)).not.toContain('canary');
  });

  it('of the turns after the boundary do not come along', async () => {
    await makeLarge();
    const other = `other ${LARGE}`;
    const owner = await ownOf(store, FIRST);
    const at = owner.next - 1;
    await owner.append(buildTurn({ prompt: other }, 3), { durable: true });
    owner.close();
    const fork = expectDone(await forkSession({ store, makeId: countIds() }, FIRST, { at }));
    expect(readdirSync(store.pathsOf(fork.session ?? FIRST).blobs)).toEqual([DIGEST]);
    expect(auditStore(home)).toEqual([]);
  });

  it('are freed when the last run that holds them goes', async () => {
    await makeLarge();
    const fork = expectDone(await forkSession({ store, makeId: countIds() }, FIRST, {}));
    const child = fork.session ?? FIRST;
    expect(statSync(pathOf(FIRST)).nlink).toBe(2);
    await store.remove(FIRST);
    expect(statSync(pathOf(child)).nlink).toBe(1);
    await store.remove(child);
    expect(readdirSync(store.layout.runs).filter((name) => !name.startsWith('.'))).toEqual([]);
    expect(readdirSync(store.layout.staging)).toEqual([]);
  });
});

describe('runs/', () => {
  it('may hold junk, files and links, which are no runs', async () => {
    await makeSession(store, 2);
    const outside = join(home, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'canary'), '');
    const { runs } = store.layout;
    symlinkSync(store.pathsOf(FIRST).folder, join(runs, makeTestId(0x71)));
    symlinkSync(outside, join(runs, makeTestId(0x72)));
    writeFileSync(join(runs, makeTestId(0x73)), '');
    mkdirSync(join(runs, 'junk'));
    mkdirSync(join(runs, makeTestId(0xabc).toUpperCase()));
    expect(store.listRuns()).toEqual([FIRST]);
    for (const id of [makeTestId(0x71), makeTestId(0x72), makeTestId(0x73)]) {
      expect(store.read(id)).toBeNull();
      for (const answer of [await store.own(id), await store.share(id), await store.remove(id)]) {
        expect(answer).toMatchObject({ code: 'unknown_run' });
      }
    }
    expect(readdirSync(outside)).toEqual(['canary']);
  });

  it('is left alone by ids that are paths', async () => {
    await makeSession(store, 1);
    const before = readdirSync(home, { recursive: true }).sort();
    for (const text of ['../x', '..', '.', '', '/etc', 'a/../b', '.staging', '.keys', `${FIRST}/log`, 'x\0y']) {
      const id = text as RunId;
      expect(store.read(id)).toBeNull();
      expect(await store.own(id)).toMatchObject({ code: 'unknown_run' });
      expect(await store.remove(id)).toMatchObject({ code: 'unknown_run' });
      expect(store.ownerOf(id)).toBeNull();
      expect(() => store.stage(id)).toThrow('run id');
    }
    expect(() => store.readKey('../lock')).toThrow('digest');
    expect(readdirSync(home, { recursive: true }).sort()).toEqual(before);
  });

  it('may lose a run while it is read', async () => {
    await makeSession(store, 3);
    const reader = store.read(FIRST);
    await store.remove(FIRST);
    expect(() => reader?.readOutline()).toThrow(expect.objectContaining({ code: 'unknown_run' }));
    expect(() => [...(reader?.readEvents() ?? [])]).toThrow(expect.objectContaining({ code: 'unknown_run' }));
  });
});

describe('a segment that is a link', () => {
  it('is not followed', async () => {
    await makeSession(store, 1);
    const last = segmentsOf(store).at(-1) ?? '';
    const canary = join(home, 'canary');
    writeFileSync(canary, readFileSync(last), { mode: 0o600 });
    rmSync(last);
    symlinkSync(canary, last);
    expect(() => store.read(FIRST)?.readOutline({ full: true })).toThrow(
      expect.objectContaining({ code: 'disk_failed' }),
    );
    await expect(store.own(FIRST)).rejects.toMatchObject({ code: 'disk_failed' });
    const before = readFileSync(canary, 'utf8');
    expect(before).not.toContain('again');
  });
});
