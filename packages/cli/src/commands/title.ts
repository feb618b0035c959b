import { isRefusal } from '@ramet/core/codes';
import { findRun } from '@ramet/runtime/inspect';
import { setTitle } from '@ramet/runtime/runs';
import type { TitleFlags } from '../flags.ts';
import type { Action } from '../output/answer.ts';
import { openStore } from '../store.ts';

/** Gives a session a title. */
export const title: Action<TitleFlags, [string, string]> = async (context, _flags, [text, wanted]) => {
  const store = openStore(context);
  const id = findRun(store, text);
  if (isRefusal(id)) return id;
  const set = await setTitle(store, id, wanted);
  return isRefusal(set) ? set : { json: { id, title: wanted, offset: set.offset } };
};
