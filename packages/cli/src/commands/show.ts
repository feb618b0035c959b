import { isRefusal, refuse } from '@ramet/core/codes';
import { describeSessionView } from '@ramet/runtime/answers';
import { findRun, isGraphRun, shortenIds, viewSession } from '@ramet/runtime/inspect';
import type { ShowFlags } from '../flags.ts';
import type { Action } from '../output/answer.ts';
import { renderSession } from '../output/session.ts';
import { openStore } from '../store.ts';

/** Shows one session, or one graph run. */
export const show: Action<ShowFlags, [string]> = async (context, flags, [text]) => {
  const store = openStore(context);
  const id = findRun(store, text);
  if (isRefusal(id)) return id;
  if (isGraphRun(store, id)) return (await import('./show-run.ts')).showRun(context, flags, { store, id });
  if (flags.node !== undefined)
    return refuse('bad_usage', '--node is for graph runs, not for a session; it has --turn');
  const view = viewSession(store, id);
  if (isRefusal(view)) return view;
  const turns = flags.turn === undefined ? view.turns : view.turns.filter(({ turn }) => turn === flags.turn);
  if (flags.turn !== undefined && turns.length === 0) {
    return refuse('bad_usage', `session ${id} has no turn ${flags.turn}; it has ${view.turns.length}`, { id });
  }
  const shown = { ...view, turns };
  const short = shortenIds(store, view.forkedFrom === undefined ? [] : [view.forkedFrom.id]);
  return {
    json: describeSessionView(shown),
    text: renderSession(context, shown, { short, isFull: flags.full === true }),
  };
};
