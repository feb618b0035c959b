import { isRefusal, refuse } from '@ramet/core/codes';
import { escapeLine, escapeText, renderColumns, renderCount } from '@ramet/core/text';
import { describeDiff } from '@ramet/runtime/answers';
import { findRun } from '@ramet/runtime/inspect';
import { compareWork, type WorkDiff } from '@ramet/runtime/upkeep';
import type { CheckpointDiff } from '@ramet/runtime/workspace/diff';
import type { CliContext } from '../context.ts';
import type { DiffFlags } from '../flags.ts';
import type { Action } from '../output/answer.ts';
import { paint } from '../output/style.ts';
import { openStore } from '../store.ts';

/** Shows what a session changed. */
export const diff: Action<DiffFlags, [string, string?]> = async (context, flags, [text, otherText]) => {
  if (flags.raw && (flags.json || flags.stat)) return refuse('bad_usage', '--raw goes with neither --json nor --stat');
  const store = openStore(context);
  const id = findRun(store, text);
  if (isRefusal(id)) return id;
  const other = otherText === undefined ? null : findRun(store, otherText);
  if (isRefusal(other)) return other;
  const ignored = flags.ignored === true;
  const found = await compareWork(store, { id, ignored, ...(other === null ? {} : { other }) });
  if (isRefusal(found)) return found;
  const { compared } = found;
  const json = describeDiff(found);
  if (flags.json) return { json };
  const notes = renderHidden(context, found);
  if (flags.stat) return { json, text: renderStat(compared), notes };
  await printPatch(context, compared, flags.raw === true);
  return { json, notes };
};

/** Line by line as git writes it, so that a large patch needs no memory. */
async function printPatch(context: CliContext, compared: CheckpointDiff, isRaw: boolean): Promise<void> {
  if (isRaw) {
    for await (const chunk of compared.patch()) {
      await context.stdout.drain();
      context.stdout.write(chunk);
    }
    return;
  }
  let rest = Buffer.alloc(0);
  for await (const chunk of compared.patch()) {
    await context.stdout.drain();
    const whole = Buffer.concat([rest, chunk]);
    const end = whole.lastIndexOf(0x0a) + 1;
    context.stdout.write(renderLines(context, whole.subarray(0, end)));
    rest = whole.subarray(end);
  }
  context.stdout.write(renderLines(context, rest));
}

function renderLines(context: CliContext, bytes: Buffer): string {
  const lines = escapeText(bytes.toString('utf8')).split('\n');
  return lines.map((line) => paintLine(context, line)).join('\n');
}

function paintLine({ stdout }: CliContext, line: string): string {
  if (line.startsWith('+')) return paint(stdout, 'green', line);
  if (line.startsWith('-')) return paint(stdout, 'red', line);
  return line.startsWith('@@') ? paint(stdout, 'cyan', line) : line;
}

function renderStat({ files }: CheckpointDiff): string {
  const rows = files.map(({ status, shown, oldShown, additions, deletions, binary }) => [
    String(status),
    binary ? 'binary' : `+${additions} -${deletions}`,
    escapeLine(oldShown === null ? shown : `${oldShown} => ${shown}`),
  ]);
  const lines = [...renderColumns(rows), renderCount(files.length, 'file')];
  return lines.map((line) => `${line}\n`).join('');
}

function renderHidden(context: CliContext, { compared, uncaptured = [] }: WorkDiff): string {
  const { files, hidden, leftOut } = compared;
  const parts = [
    ...(files.length === 0 ? [uncaptured.length === 0 ? 'no file differs' : 'no file of the checkpoints differs'] : []),
    ...(hidden.ignored > 0 ? [`${renderCount(hidden.ignored, 'ignored file')} not shown (--ignored)`] : []),
    ...(hidden.nested > 0 ? [`${renderCount(hidden.nested, 'file')} of inner repositories not shown`] : []),
    ...(leftOut.length > 0 ? [`not in the checkpoint: ${renderLeftOut(leftOut)}`] : []),
  ];
  const lines = [
    ...parts.map((part) => paint(context.stderr, 'dim', part)),
    ...uncaptured.map(({ message }) => paint(context.stderr, 'yellow', escapeLine(message))),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

const SHOWN_NAMES = 5;

function renderLeftOut(leftOut: CheckpointDiff['leftOut']): string {
  const names = leftOut.slice(0, SHOWN_NAMES).map(({ path }) => escapeLine(path));
  return leftOut.length > names.length
    ? `${names.join(', ')}, and ${leftOut.length - names.length} more`
    : names.join(', ');
}
