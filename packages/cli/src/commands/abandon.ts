import { isRefusal } from '@ramet/core/codes';
import { abandonRun } from '@ramet/runtime/graph';
import { findGraphRun, shortenIds } from '@ramet/runtime/inspect';
import type { AbandonFlags } from '../flags.ts';
import type { Action } from '../output/answer.ts';
import { openStore } from '../store.ts';
import { servicesOf } from './drive.ts';

/** Ends a graph run for good. */
export const abandon: Action<AbandonFlags, [string]> = async (context, { reason }, [text]) => {
  const store = openStore(context);
  const id = findGraphRun(store, text);
  if (isRefusal(id)) return id;
  const said = reason === undefined ? {} : { reason };
  const refusal = await abandonRun(servicesOf(context, store), { id, ...said });
  if (refusal !== null) return refusal;
  const notes = `abandoned ${shortenIds(store)(id)}: it is never gone on with; it can be looked at and forked\n`;
  return { json: { run: id, status: 'abandoned', ...said }, notes };
};
