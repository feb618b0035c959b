import { isRefusal, type Refusal, refuse } from '@ramet/core/codes';
import { escapeLine, escapeText, renderColumns, renderCount } from '@ramet/core/text';
import type { FileStore } from '@ramet/runtime/store';
import { findHeldWork, type HeldWork } from '@ramet/runtime/upkeep';
import { type CheckpointDiff, type DiffRequest, diffCheckpoint } from '@ramet/runtime/workspace/diff';
import type { CliContext } from '../context.ts';
import type { DiffFlags } from '../flags.ts';
import type { Action } from '../output/answer.ts';
import { paint } from '../output/style.ts';
import { findRun, openStore } from '../store.ts';

/** Shows what a session changed. */
export const diff: Action<DiffFlags, [string, string?]> = async (context, flags, [text, otherText]) => {
  if (flags.raw && (flags.json || flags.stat)) return refuse('bad_usage', '--raw goes with neither --json nor --stat');
  const store = openStore(context);
  const sides = await findSides(store, text, otherText);
  if (isRefusal(sides)) return sides;
  const { from, to } = sides;
  const opening = from?.kind === 'checkpoint' ? null : to.opening;
  const compared = await diffCheckpoint({
    project: to.project,
    from,
    opening,
    to: to.checkpoint,
    ignored: flags.ignored === true,
  });
  const { files, hidden, leftOut } = compared;
  const json = { id: to.id, from, to: to.checkpoint, files, hidden, leftOut };
  if (flags.json) return { json };
  if (flags.stat) return { json, text: renderStat(compared), notes: renderHidden(context, compared) };
  await printPatch(context, compared, flags.raw === true);
  return { json, notes: renderHidden(context, compared) };
};

interface Sides {
  readonly from: DiffRequest['from'];
  readonly to: HeldWork;
}

/** Of two sessions the second is the newer side, as with git. */
async function findSides(store: FileStore, text: string, otherText: string | undefined): Promise<Sides | Refusal> {
  const one = await findWork(store, text);
  if (isRefusal(one)) return one;
  if (otherText === undefined) return { from: one.base === null ? null : { kind: 'commit', id: one.base }, to: one };
  const other = await findWork(store, otherText);
  if (isRefusal(other)) return other;
  if (one.project.id !== other.project.id) {
    return refuse('no_workspace', `${one.id} and ${other.id} are of different projects and cannot be compared`);
  }
  return { from: { kind: 'checkpoint', id: one.checkpoint }, to: other };
}

async function findWork(store: FileStore, text: string): Promise<HeldWork | Refusal> {
  const id = findRun(store, text);
  return isRefusal(id) ? id : findHeldWork(store, id);
}

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

function renderHidden(context: CliContext, { files, hidden, leftOut }: CheckpointDiff): string {
  const parts = [
    ...(files.length === 0 ? ['no file differs'] : []),
    ...(hidden.ignored > 0 ? [`${renderCount(hidden.ignored, 'ignored file')} not shown (--ignored)`] : []),
    ...(hidden.nested > 0 ? [`${renderCount(hidden.nested, 'file')} of inner repositories not shown`] : []),
    ...(leftOut.length > 0 ? [`not in the checkpoint: ${renderLeftOut(leftOut)}`] : []),
  ];
  return parts.map((part) => `${paint(context.stderr, 'dim', part)}\n`).join('');
}

const SHOWN_NAMES = 5;

function renderLeftOut(leftOut: CheckpointDiff['leftOut']): string {
  const names = leftOut.slice(0, SHOWN_NAMES).map(({ path }) => escapeLine(path));
  return leftOut.length > names.length
    ? `${names.join(', ')}, and ${leftOut.length - names.length} more`
    : names.join(', ');
}
