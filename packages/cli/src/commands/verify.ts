import type { Client } from '@ramet/client';
import { exitCodeOf, isRefusal, type Refusal, refuse } from '@ramet/core/codes';
import type { RunId } from '@ramet/core/events';
import { escapeLine, renderBytes, renderCount, wrapLine } from '@ramet/core/text';
import { describeVerification, describeVerifications } from '@ramet/runtime/answers';
import { findRuns, shortenIds } from '@ramet/runtime/inspect';
import type { FileStore } from '@ramet/runtime/store';
import { type Problem, type Verification, verifyRun } from '@ramet/runtime/upkeep';
import type { CliContext } from '../context.ts';
import { orByDaemon } from '../daemon/through.ts';
import type { VerifyFlags } from '../flags.ts';
import type { Action, Answer } from '../output/answer.ts';
import { widthFor } from '../output/facts.ts';
import { paint } from '../output/style.ts';
import { openStore } from '../store.ts';

/** Verifies runs; one that does not hold makes the exit code 6. */
export const verify: Action<VerifyFlags, readonly string[]> = async (context, flags, texts) => {
  const store = openStore(context);
  if (flags.all && texts.length > 0) return refuse('bad_usage', '<id> and --all exclude each other');
  if (!flags.all && texts.length === 0) return refuse('bad_usage', '<id> is missing, or --all');
  const ids = flags.all ? store.listRuns() : findRuns(store, texts);
  if (isRefusal(ids)) return ids;
  const results: Verification[] = [];
  for (const id of ids) {
    const result = await verifyHereOrThere(context, store, id);
    if (isRefusal(result)) return result;
    results.push(result);
  }
  return answerFor(context, { results, short: shortenIds(store), isOne: texts.length === 1 });
};

/** By the daemon, where it is at work in the run. */
async function verifyHereOrThere(context: CliContext, store: FileStore, id: RunId): Promise<Verification | Refusal> {
  const act = async (client: Client): Promise<Verification> => {
    // One shape for the command line and HTTP.
    const { ok: _, code: __, message: ___, ...verified } = await client.call('verify', { path: { id } });
    return verified as unknown as Verification;
  };
  return orByDaemon(context, await verifyRun(store, id), { store, id, act });
}

function answerFor(
  context: CliContext,
  found: { readonly results: readonly Verification[]; readonly short: (id: RunId) => string; readonly isOne: boolean },
): Answer {
  const { results, short, isOne } = found;
  const [only] = results;
  const json = isOne && only !== undefined ? describeVerification(only) : describeVerifications(results);
  const text = results.map((result) => renderResult(context, result, short)).join('');
  return { json, text, exit: json.ok ? 0 : exitCodeOf('verification_failed') };
}

function renderResult(context: CliContext, result: Verification, short: (id: RunId) => string): string {
  const { problems, events, bytes, payloads, forks, checkpoints, digest, gone, tornBytes, malformed } = result;
  const id = short(result.id);
  const checked = [
    `${renderCount(events, 'event')} (${renderBytes(bytes)})`,
    renderCount(payloads, 'payload'),
    renderCount(forks, 'fork event'),
    renderCount(checkpoints, 'checkpoint'),
  ].join(', ');
  const lines =
    problems.length === 0
      ? [`${paint(context.stdout, 'green', 'ok')} ${id}: ${checked}`, `  digest ${digest}`]
      : [
          `${paint(context.stdout, 'red', 'bad')} ${id}: ${checked}`,
          ...problems.flatMap((problem) => wrapLine(renderProblem(problem, short), widthFor(context.stdout), '    ')),
        ];
  if (gone !== undefined) {
    const from = `node ${escapeLine(gone.fromNode)} of run ${short(gone.id)}`;
    lines.push(`  note: made of ${from}, which is gone: what was taken of it cannot be compared`);
  }
  if (tornBytes > 0)
    lines.push(`  note: ${renderCount(tornBytes, 'byte')} of a cut-off event; the next turn mends that`);
  if (malformed > 0)
    lines.push(`  note: ${renderCount(malformed, 'event')} without a required field, kept and skipped`);
  return lines.map((line) => `${line}\n`).join('');
}

function renderProblem({ message, checkpoint, sharedWith }: Problem, short: (id: RunId) => string): string {
  const where = checkpoint === undefined ? '' : `checkpoint ${checkpoint.slice(0, 12)}: `;
  const others = sharedWith === undefined ? '' : `; the same file is in ${sharedWith.map(short).join(', ')}`;
  return `  ${escapeLine(`${where}${message}`)}${others}`;
}
