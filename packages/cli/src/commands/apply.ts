import { resolve } from 'node:path';
import { isRefusal, type Refusal, refuse } from '@ramet/core/codes';
import { escapeLine, renderCount } from '@ramet/core/text';
import type { FileStore } from '@ramet/runtime/store';
import { findHeldWork, findStanding, type HeldWork } from '@ramet/runtime/upkeep';
import { type AppliedCheckpoint, applyCheckpoint } from '@ramet/runtime/workspace/apply';
import type { CliContext } from '../context.ts';
import type { ApplyFlags } from '../flags.ts';
import type { Action, Answer } from '../output/answer.ts';
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
    if (work.untouched) return refuse('nothing_to_do', `the agent changed nothing in ${id}`, { id });
    return await bring(context, { store, work, flags });
  } finally {
    log.close();
  }
};

interface Bringing {
  readonly store: FileStore;
  readonly work: HeldWork;
  readonly flags: ApplyFlags;
}

async function bring(context: CliContext, { store, work, flags }: Bringing): Promise<Answer | Refusal> {
  const { id, checkpoint, base, opening, takenMs } = work;
  const { branch, toCheckout, checkout } = flags;
  const { cwd } = context;
  const named = checkout === undefined ? {} : { checkout: resolve(cwd, checkout) };
  const standing = await findStanding(work.project, { home: store.layout.home, cwd, ...named });
  if (isRefusal(standing)) return standing;
  const { project, isHere } = standing;
  if (toCheckout === true && !isHere) return refuseElsewhere(cwd, work);
  const applied = await applyCheckpoint({
    ...{ project, checkpoint, base, opening, takenMs, runId: id },
    ...(branch === undefined ? {} : { branch }),
    ...(toCheckout === true ? { toCheckout } : {}),
  });
  if (isRefusal(applied)) return applied;
  const isNamed = !isHere || checkout !== undefined;
  return {
    json: { id, ...applied },
    text: `${applied.commit}\n`,
    notes: renderApplied(applied, { work, isNamed }),
  };
}

/** Files are only written where the person stands, or said to. */
function refuseElsewhere(cwd: string, { project, id }: HeldWork): Refusal {
  const message = `${cwd} is no checkout of the repository ${id} began in, so no file was touched: go to the one you mean, or name it with --checkout (it began in ${project.checkout})`;
  return refuse('no_workspace', message, { path: cwd, last: project.checkout });
}

const SHOWN_NAMES = 5;

function renderApplied(
  applied: AppliedCheckpoint,
  { work, isNamed }: { readonly work: HeldWork; readonly isNamed: boolean },
): string {
  const { ref, branch, commit, head, loose, previous, repository, leftOut, operation } = applied;
  const before = previous === null ? '' : previous === commit ? ', as before' : ` (before: ${previous.slice(0, 12)})`;
  const lines = [`${repository}: ${ref} names it${before}`];
  if (loose) {
    const below = head === null ? '' : `, on top of ${head.slice(0, 12)}`;
    const own = work.opening === null ? '' : ', and those you had not committed when it began';
    lines.push(`its last commit holds the files the agent left uncommitted${own}${below}`);
  }
  if (operation !== null)
    lines.push(`the agent was in the middle of a ${operation}: half-done files are in that commit`);
  if (branch !== null) lines.push(`branch ${branch} names it too`);
  if (leftOut.ignored > 0) lines.push(`${renderCount(leftOut.ignored, 'ignored file')} did not come along`);
  if (leftOut.nested > 0) lines.push(`${renderCount(leftOut.nested, 'file')} of inner repositories did not come along`);
  if (leftOut.files.length > 0) {
    const names = leftOut.files.slice(0, SHOWN_NAMES).map(({ path }) => path);
    const more = leftOut.files.length > names.length ? `, and ${leftOut.files.length - names.length} more` : '';
    lines.push(`not in the checkpoint, so it did not come along: ${names.join(', ')}${more}`);
  }
  lines.push(...renderTaking(applied, { work, isNamed }));
  return lines.map((line) => `${escapeLine(line)}\n`).join('');
}

/** What was written to the files, or how to look and take it where the person stands. */
function renderTaking(
  { checkout, ref, repository }: AppliedCheckpoint,
  { work, isNamed }: { readonly work: HeldWork; readonly isNamed: boolean },
): readonly string[] {
  if (checkout !== null) {
    const { path, written, deleted } = checkout;
    if (written.length + deleted.length === 0) return [`${path}: your files have it all already`];
    return [`${path}: ${renderCount(written.length, 'file')} written, ${deleted.length} deleted, none staged`];
  }
  const git = isNamed ? `git -C ${quoteWord(repository)}` : 'git';
  const since = work.base === null ? '' : `${work.base.slice(0, 12)} `;
  const taken =
    work.opening === null
      ? `take it: ${git} merge ${ref}`
      : `take it: ramet apply ${work.id} --to-checkout (git merge, once you have committed your own changes)`;
  return [`see it: ${git} diff ${since}${ref}`, taken];
}

/** A word as a shell reads it back. */
function quoteWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
