/** File stores with sessions made through the store itself: real segments, links and locks. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRefusal, type RunId } from '@ramet/core';
import { forkSession } from '@ramet/runtime/fork';
import { type FileStore, openFileStore } from '@ramet/runtime/store';
import { buildSession, buildTurn, makeTestId, type SessionPlan, type TurnPlan } from '@ramet/testkit';

export interface Sessions {
  readonly store: FileStore;
  add(plan: SessionPlan): Promise<RunId>;
  fork(source: RunId, options?: { readonly at?: number; readonly idempotencyKey?: string }): Promise<RunId>;
  append(id: RunId, turn: TurnPlan): Promise<void>;
}

/** Opens an empty store; segments are sealed early, so that forks link them. */
export function makeSessions(): Sessions {
  let clock = Date.UTC(2030, 0, 1);
  const now = (): number => {
    clock += 1000;
    return clock;
  };
  let ids = 100;
  const store = openFileStore({ home: mkdtempSync(join(tmpdir(), 'upkeep-')), now, sealBytes: 2_000 });
  const makeId = (): RunId => {
    ids += 1;
    return makeTestId(ids);
  };
  return {
    store,
    add: async ({ turns, ...plan }) => {
      const id = plan.id ?? makeId();
      const staged = store.stage(id);
      staged.append(buildSession({ project: null, workspace: 'none', ...plan, id, turns: [] }));
      await staged.commit();
      for (const turn of turns) await appendTurn(store, id, turn);
      return id;
    },
    fork: async (source, options = {}) => {
      const made = await forkSession({ store, makeId }, source, options);
      if (isRefusal(made) || made.session === null) throw new Error(JSON.stringify(made));
      return made.session;
    },
    append: (id, turn) => appendTurn(store, id, turn),
  };
}

let turns = 0;

async function appendTurn(store: FileStore, id: RunId, turn: TurnPlan): Promise<void> {
  const log = await store.own(id);
  if (isRefusal(log)) throw new Error(log.message);
  turns += 1;
  await log.append(buildTurn({ checkpoint: null, ...turn }, turns), { durable: true });
  log.close();
}

/** A turn of about this many bytes with one reply of so many tokens. */
export function makeTurn(tokens: number, bytes = 100): TurnPlan {
  return { prompt: 'p'.repeat(bytes), replies: [{ text: 'x', usage: { inputTokens: tokens, outputTokens: 0 } }] };
}
