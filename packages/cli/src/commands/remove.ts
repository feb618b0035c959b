import { isRefusal, type Refusal, refuse } from '@ramet/core/codes';
import { escapeLine, renderBytes, renderCount } from '@ramet/core/text';
import { describeDryRemoval, describeRemoval } from '@ramet/runtime/answers';
import { findRuns, shortenIds } from '@ramet/runtime/inspect';
import { readGraphName } from '@ramet/runtime/inspect/runs';
import type { FileStore } from '@ramet/runtime/store';
import { carryOutRemoval, planRemoval, type RemovalPlan } from '@ramet/runtime/upkeep';
import { type CliContext, isInteractive } from '../context.ts';
import type { RemoveFlags } from '../flags.ts';
import type { Action, Answer } from '../output/answer.ts';
import { paint } from '../output/style.ts';
import { nounFor, openStore } from '../store.ts';

/** Removes the runs some ids name. */
export const remove: Action<RemoveFlags, readonly string[]> = async (context, flags, texts) => {
  const store = openStore(context);
  const ids = findRuns(store, texts);
  if (isRefusal(ids)) return ids;
  const plan = await planRemoval({ store, env: context.env, refs: flags.refs === true }, ids);
  if (isRefusal(plan)) return plan;
  const rendered = renderPlan(context, store, plan);
  if (flags.dryRun) return { json: describeDryRemoval(plan), text: rendered };
  return carryOut(context, store, { plan, rendered, flags });
};

/** Asks unless answered already, and removes. */
export async function carryOut(
  context: CliContext,
  store: FileStore,
  wanted: {
    readonly plan: RemovalPlan;
    readonly rendered: string;
    readonly flags: Pick<RemoveFlags, 'yes' | 'json'>;
  },
): Promise<Answer | Refusal> {
  const { plan, rendered, flags } = wanted;
  const noun = nounFor(
    store,
    plan.runs.map(({ id }) => id),
  );
  const refusal = flags.yes ? null : await confirm(context, plan, rendered);
  if (refusal !== null) return refusal;
  // What is about to go is named before it goes.
  if (flags.yes && !flags.json) context.stderr.write(rendered);
  const done = await carryOutRemoval(store, plan);
  if (isRefusal(done)) return done;
  const freed = `removed ${renderCount(done.removed.length, noun)}: ${renderBytes(plan.bytes.own)} freed`;
  const notes = done.stuck.map((line) => `${escapeLine(line)}\n`).join('');
  return { json: describeRemoval(plan, done), notes, text: `${freed}\n` };
}

async function confirm(context: CliContext, plan: RemovalPlan, rendered: string): Promise<Refusal | null> {
  const isLossy = plan.runs.some((run) => run.unsaved.length > 0);
  if (!isInteractive(context)) {
    const code = isLossy ? 'would_lose_work' : 'not_confirmed';
    const what = plan.runs.map((run) => describeLoss(run)).join('; ');
    return refuse(code, `nothing was removed, because nobody is there to ask: pass --yes to remove ${what}`, {
      ...plan,
    });
  }
  context.stderr.write(rendered);
  const { askYesNo } = await import('./ask.ts');
  const isMeant = await askYesNo(isLossy ? 'Remove it, with work that is nowhere else?' : 'Remove it?');
  return isMeant ? null : refuse('not_confirmed', 'nothing was removed', { ...plan });
}

function describeLoss({ id, unsaved }: RemovalPlan['runs'][number]): string {
  return unsaved.length === 0 ? id : `${id} (unsaved: ${unsaved.map(({ message }) => message).join(', ')})`;
}

/** A run without a title is named by its graph, in brackets, as in lists. */
export function nameRun(store: FileStore, { id, title }: Pick<RemovalPlan['runs'][number], 'id' | 'title'>): string {
  if (title !== '') return escapeLine(title);
  const graph = store.read(id)?.readOutline().heads[0]?.graph?.graph;
  const name = graph === undefined ? null : readGraphName(store, graph);
  return `(${name === null ? 'no title' : escapeLine(name)})`;
}

/** A plan as text. */
export function renderPlan(context: CliContext, store: FileStore, plan: RemovalPlan): string {
  const short = shortenIds(store);
  const noun = nounFor(
    store,
    plan.runs.map(({ id }) => id),
  );
  const lines = plan.runs.flatMap(({ id, title, bytes, unsaved, children, refs = [] }) => [
    `${short(id)}  ${nameRun(store, { id, title })}: ${renderBytes(bytes.own)}, and ${renderBytes(bytes.shared)} that others hold too`,
    ...unsaved.map(({ message }) => paint(context.stderr, 'yellow', `  unsaved: ${escapeLine(message)}`)),
    ...refs.map(({ ref, repository }) => `  its ref goes too: ${escapeLine(`${ref} in ${repository}`)}`),
    ...(children.length === 0 ? [] : [`  its forks stay: ${children.map(short).join(', ')}`]),
  ]);
  const total = `${renderCount(plan.runs.length, noun)}, ${renderBytes(plan.bytes.own)} to free`;
  return [...lines, total].map((line) => `${line}\n`).join('');
}
