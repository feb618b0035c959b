import { isRefusal, type Refusal, refuse } from '@ramet/core/codes';
import type { RunId } from '@ramet/core/events';
import { describeRunView } from '@ramet/runtime/answers';
import { shortenIds } from '@ramet/runtime/inspect';
import { viewGraphRun } from '@ramet/runtime/inspect/runs';
import type { FileStore } from '@ramet/runtime/store';
import type { CliContext } from '../context.ts';
import type { ShowFlags } from '../flags.ts';
import type { Answer } from '../output/answer.ts';
import { renderGraphRun, renderNodes } from '../output/graph-run.ts';

/** Shows one graph run, or a node of it. */
export async function showRun(
  context: CliContext,
  flags: ShowFlags,
  run: { readonly store: FileStore; readonly id: RunId },
): Promise<Answer | Refusal> {
  const { store, id } = run;
  if (flags.turn !== undefined)
    return refuse('bad_usage', '--turn is for sessions, not for a graph run; it has --node');
  const read = viewGraphRun(store, id);
  if (isRefusal(read)) return read;
  const { view, document } = read;
  const isFull = flags.full === true;
  if (flags.node !== undefined) {
    const walk = view.walk.filter(({ node, id: name }) => node === flags.node || name === flags.node);
    if (walk.length === 0) return refuse('node_unknown', `run ${id} met no node ${flags.node}`, { id });
    return { json: describeRunView({ ...view, walk }), text: renderNodes(context, walk, isFull) };
  }
  const parents = view.forkedFrom === undefined ? [] : [view.forkedFrom.id];
  const rendering = { document, isFull, short: shortenIds(store, parents) };
  return { json: describeRunView(view), text: renderGraphRun(context, view, rendering) };
}
