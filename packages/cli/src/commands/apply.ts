import { isRefusal } from '@ramet/core/codes';
import { escapeLine, renderCount } from '@ramet/core/text';
import { findHeldWork } from '@ramet/runtime/upkeep';
import { type AppliedCheckpoint, applyCheckpoint } from '@ramet/runtime/workspace/apply';
import type { ApplyFlags } from '../flags.ts';
import type { Action } from '../output/answer.ts';
import { findRun, openStore } from '../store.ts';

/** Brings a session's work into the person's repository. */
export const apply: Action<ApplyFlags, [string]> = async (context, flags, [text]) => {
  const store = openStore(context);
  const id = findRun(store, text);
  if (isRefusal(id)) return id;
  // Shared: a running session is refused, and none starts meanwhile.
  const log = await store.share(id);
  if (isRefusal(log)) return log;
  try {
    const work = await findHeldWork(store, id);
    if (isRefusal(work)) return work;
    const { project, checkpoint, base, opening, takenMs } = work;
    const { branch, toCheckout } = flags;
    const applied = await applyCheckpoint({
      project,
      checkpoint,
      base,
      opening,
      takenMs,
      runId: id,
      ...(branch === undefined ? {} : { branch }),
      ...(toCheckout === true ? { toCheckout } : {}),
    });
    if (isRefusal(applied)) return applied;
    return { json: { id, ...applied }, text: `${applied.commit}\n`, notes: renderApplied(applied, base) };
  } finally {
    log.close();
  }
};

function renderApplied(applied: AppliedCheckpoint, base: string | null): string {
  const { ref, branch, head, loose, previous, checkout, leftOut, operation } = applied;
  const lines = [`${ref} now names it${previous === null ? '' : ` (before: ${previous.slice(0, 12)})`}`];
  if (loose)
    lines.push(
      `its last commit holds the files the agent left uncommitted${head === null ? '' : `, on top of ${head.slice(0, 12)}`}`,
    );
  if (operation !== null)
    lines.push(`the agent was in the middle of a ${escapeLine(operation)}: half-done files are in that commit`);
  if (branch !== null) lines.push(`branch ${escapeLine(branch)} names it too`);
  if (leftOut.ignored > 0) lines.push(`${renderCount(leftOut.ignored, 'ignored file')} did not come along`);
  if (leftOut.nested > 0) lines.push(`${renderCount(leftOut.nested, 'file')} of inner repositories did not come along`);
  if (leftOut.files.length > 0)
    lines.push(`${renderCount(leftOut.files.length, 'file')} not in the checkpoint did not come along`);
  if (checkout !== null) {
    lines.push(
      `${checkout.path}: ${renderCount(checkout.written.length, 'file')} written, ${checkout.deleted.length} deleted, none staged`,
    );
  } else {
    lines.push(`see it: git diff ${base === null ? '' : `${base.slice(0, 12)} `}${ref}   take it: git merge ${ref}`);
  }
  return lines.map((line) => `${escapeLine(line)}\n`).join('');
}
