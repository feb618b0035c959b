import { resolve } from 'node:path';
import { isRefusal } from '@ramet/core/codes';
import { escapeLine, renderCount } from '@ramet/core/text';
import { describeApplied } from '@ramet/runtime/answers';
import { findRun } from '@ramet/runtime/inspect';
import { applyWork, type HeldWork } from '@ramet/runtime/upkeep';
import type { AppliedCheckpoint } from '@ramet/runtime/workspace/apply';
import type { ApplyFlags } from '../flags.ts';
import type { Action } from '../output/answer.ts';
import { openStore } from '../store.ts';

/** Brings a session's work into the person's repository. */
export const apply: Action<ApplyFlags, [string]> = async (context, flags, [text]) => {
  const store = openStore(context);
  const id = findRun(store, text);
  if (isRefusal(id)) return id;
  const { branch, toCheckout, checkout } = flags;
  const { cwd } = context;
  const done = await applyWork(store, {
    id,
    cwd,
    ...(branch === undefined ? {} : { branch }),
    ...(toCheckout === true ? { toCheckout } : {}),
    ...(checkout === undefined ? {} : { checkout: resolve(cwd, checkout) }),
  });
  if (isRefusal(done)) return done;
  const { applied, work, isHere } = done;
  const isNamed = !isHere || checkout !== undefined;
  return {
    json: describeApplied(done),
    text: `${applied.commit}\n`,
    notes: renderApplied(applied, { work, isNamed }),
  };
};

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
  if (work.uncaptured !== null) lines.push(work.uncaptured.message);
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
