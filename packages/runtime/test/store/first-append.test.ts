/** What an owner makes durable, and when: a log that is only opened costs no sync. */
import type { OwnedLog } from '@ramet/runtime/store';
import { auditStore, buildTurn } from '@ramet/testkit';
import { runWithFault } from '@ramet/testkit/fault-harness';
import { ownOf } from '@ramet/testkit/store-contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FIRST, makeHome, makeSession, openTestStore } from './helpers.ts';

const TITLE = [{ type: 'session.title', title: 'newer' }] as const;

let home: string;
let owner: OwnedLog;

beforeEach(async () => {
  home = makeHome();
  await makeSession(openTestStore(home), 2);
});

afterEach(() => expect(auditStore(home)).toEqual([]));

/** Names of the file-system calls of some work. */
async function listCalls(work: () => Promise<unknown>): Promise<readonly string[]> {
  const { calls, error } = await runWithFault(null, work);
  if (error !== undefined) throw error;
  return calls;
}

function syncsIn(calls: readonly string[]): readonly string[] {
  return calls.filter((name) => name === 'fsync' || name === 'fdatasync').sort();
}

async function own(sealBytes?: number): Promise<void> {
  owner = await ownOf(openTestStore(home, sealBytes), FIRST);
}

describe('the name of the segment that an owner takes up', () => {
  it('is durable with its first durable line, and costs no later one a sync', async () => {
    expect(syncsIn(await listCalls(() => own()))).toEqual([]);
    expect(syncsIn(await listCalls(() => owner.append(TITLE, { durable: false })))).toEqual([]);
    expect(syncsIn(await listCalls(() => owner.append(TITLE, { durable: true })))).toEqual(['fdatasync', 'fsync']);
    expect(syncsIn(await listCalls(() => owner.append(TITLE, { durable: true })))).toEqual(['fdatasync']);
    owner.close();
  });

  it('is durable before the next segment has one', async () => {
    await own(100);
    const calls = await listCalls(() => owner.append(TITLE, { durable: false }));
    expect(calls.indexOf('fsync')).toBeLessThan(calls.indexOf('fchmodSync'));
    expect(syncsIn(calls)).toEqual(['fdatasync', 'fdatasync', 'fsync', 'fsync', 'fsync']);
    owner.close();
  });

  it('that cannot be made durable ends the owner, and the next one goes on', async () => {
    await own();
    const at = (await listCalls(() => owner.append(TITLE, { durable: true }))).indexOf('fsync');
    owner.close();
    await own();
    const failed = await runWithFault({ at, kind: 'error' }, () => owner.append(TITLE, { durable: true }));
    expect(failed.calls[at]).toBe('fsync');
    expect(failed.error).toMatchObject({ code: 'disk_failed' });
    await expect(owner.append(TITLE, { durable: true })).rejects.toMatchObject({ code: 'disk_failed' });
    owner.close();
    await own();
    await owner.append(buildTurn({}, 3), { durable: true });
    owner.close();
  });
});

describe('an owner', () => {
  it('reads its log once, until it appends or lets it go', async () => {
    await own();
    const found = owner.readOutline();
    expect(owner.readOutline()).toBe(found);
    expect(owner.readOutline({ full: true })).not.toBe(found);
    await owner.append(TITLE, { durable: false });
    expect(owner.readOutline().heads.at(-1)?.count).toBe((found.heads.at(-1)?.count ?? 0) + 1);
    owner.close();
    const former = owner;
    await own();
    former.readOutline();
    await owner.append(TITLE, { durable: false });
    owner.close();
    expect(former.readOutline().heads.at(-1)?.count).toBe((found.heads.at(-1)?.count ?? 0) + 2);
  });
});
