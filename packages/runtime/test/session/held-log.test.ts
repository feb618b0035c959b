import { refuse } from '@ramet/core';
import { openMemoryStore, type RunStore } from '@ramet/runtime/store';
import { buildSession, makeTestId } from '@ramet/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { holdLog } from '../../src/session/held-log.ts';

const ID = makeTestId(0x601d);

let store: RunStore;
beforeEach(async () => {
  store = openMemoryStore({ now: () => Date.UTC(2030, 0, 1) });
  const staged = store.stage(ID);
  staged.append(buildSession({ id: ID, turns: [] }));
  await staged.commit();
});

describe('a held log', () => {
  it('is owned until it is let go, and what was opened last ends first', async () => {
    const ended: string[] = [];
    const held = await holdLog(store, ID, async ({ closers }) => {
      closers.push(
        () => void ended.push(`first, ${store.ownerOf(ID) === null ? 'free' : 'owned'}`),
        async () => void ended.push('second'),
      );
      return { what: 'opened' };
    });
    expect(held).toMatchObject({ what: 'opened' });
    expect(store.ownerOf(ID)).not.toBeNull();
    if ('close' in held) await held.close();
    expect(ended).toEqual(['second', 'first, owned']);
    expect(store.ownerOf(ID)).toBeNull();
  });

  it('is let go when what was opened for it cannot be ended', async () => {
    const held = await holdLog(store, ID, async ({ closers }) => {
      closers.push(() => {
        throw new Error('it hangs');
      });
      return {};
    });
    await expect('close' in held && held.close()).rejects.toThrow('it hangs');
    expect(store.ownerOf(ID)).toBeNull();
  });

  it('is let go on a refusal', async () => {
    const refusal = refuse('no_model', 'there is none');
    expect(await holdLog(store, ID, async () => refusal)).toBe(refusal);
    expect(store.ownerOf(ID)).toBeNull();
  });

  it('is let go on an error, which what cannot be ended does not hide', async () => {
    const opening = holdLog(store, ID, async ({ closers }) => {
      closers.push(() => {
        throw new Error('it hangs');
      });
      throw new Error('the disk is gone');
    });
    await expect(opening).rejects.toThrow('the disk is gone');
    expect(store.ownerOf(ID)).toBeNull();
  });

  it('refuses what the store refuses', async () => {
    expect(await holdLog(store, makeTestId(1), async () => ({}))).toMatchObject({ code: 'unknown_run' });
  });
});
