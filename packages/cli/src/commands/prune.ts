import { type Refusal, refuse } from '@ramet/core/codes';
import { escapeLine, renderBytes } from '@ramet/core/text';
import { describeDryRemoval, describeRemoval } from '@ramet/runtime/answers';
import { shortenIds } from '@ramet/runtime/inspect';
import { type PruneGoal, planPrune } from '@ramet/runtime/upkeep';
import type { PruneFlags } from '../flags.ts';
import type { Action } from '../output/answer.ts';
import { openStore } from '../store.ts';
import { carryOut, nameRun, renderPlan } from './remove.ts';

/** Removes old sessions. */
export const prune: Action<PruneFlags, []> = async (context, flags) => {
  const goal = goalOf(flags);
  if ('code' in goal) return goal;
  const store = openStore(context);
  const plan = await planPrune(
    { store, env: context.env, refs: flags.refs === true },
    { goal, includeUnsaved: flags.includeUnsaved === true, nowMs: context.now() },
  );
  const short = shortenIds(store);
  const kept = plan.kept.map(
    ({ id, title, reasons }) =>
      `kept ${short(id)}  ${nameRun(store, { id, title })}: ${escapeLine(reasons.join(', '))}\n`,
  );
  const total = `all together take ${renderBytes(plan.total.own + plan.total.shared)}\n`;
  const rendered = [renderPlan(context, store, plan), ...kept, total].join('');
  if (flags.dryRun) return { json: describeDryRemoval(plan), text: rendered };
  if (plan.runs.length === 0) return { json: describeRemoval(plan, { removed: [], stuck: [] }), text: rendered };
  return carryOut(context, store, { plan, rendered, flags });
};

function goalOf({ olderThan, to }: PruneFlags): PruneGoal | Refusal {
  if (olderThan !== undefined && to === undefined) return { kind: 'older_than', days: olderThan };
  if (to !== undefined && olderThan === undefined) return { kind: 'to_size', bytes: to };
  return refuse('bad_usage', 'say which are old: either --older-than <days> or --to <size>');
}
