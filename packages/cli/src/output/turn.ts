/** How a turn's end is told. */
import { type ExitCode, exitCodeOf, invariant } from '@ramet/core/codes';
import { knownEvent, type RunId } from '@ramet/core/events';
import { deriveSessionOverview } from '@ramet/core/log';
import { escapeLine, escapeText, renderWords, truncateText } from '@ramet/core/text';
import { describeEndedTurn, describeParkedTurn } from '@ramet/runtime/answers';
import { shortenIds } from '@ramet/runtime/inspect';
import type { TurnResult } from '@ramet/runtime/session';
import type { FileStore } from '@ramet/runtime/store';
import { isUntouched } from '@ramet/runtime/upkeep';
import type { CliContext } from '../context.ts';
import { type Answer, exitOfError } from './answer.ts';
import { describeChanges, describeLostGit, renderTaking } from './changes.ts';
import { paint } from './style.ts';
import { renderUsage } from './usage.ts';

type Ended = Extract<TurnResult, { readonly kind: 'ended' }>;
type Parked = Extract<TurnResult, { readonly kind: 'parked' }>;

export interface TurnAnswer {
  readonly result: TurnResult;
  /** The agent's words were shown as they came. */
  readonly isTextShown: boolean;
  readonly ms: number;
}

/** The answer of `ramet run`. */
export function answerTurn(context: CliContext, store: FileStore, turn: TurnAnswer): Answer {
  const { result } = turn;
  const short = shortenIds(store);
  if (result.kind === 'parked') return answerParked(context, result, short);
  invariant(result.kind === 'ended', `a turn of a command ends or waits, and this one is ${result.kind}`);
  const { text } = result;
  const shown = turn.isTextShown || text === '' ? '' : `${escapeText(text).trimEnd()}\n`;
  const notes = renderEnd(context, store, { ...turn, result, short });
  return { json: describeEndedTurn(result), text: shown, notes, exit: exitOf(result) };
}

function answerParked(context: CliContext, result: Parked, short: (id: RunId) => string): Answer {
  const { reason: code, message, session, flags } = result;
  const goOn = renderWords(['ramet', 'run', '--session', short(session), ...flags]);
  const lines = [
    `ramet: ${escapeText(message)} (${code})`,
    code === 'approval_pending'
      ? `answer at a terminal, or with --yes: ${escapeLine(goOn)}`
      : `then go on: ${escapeLine(goOn)}`,
  ];
  const notes = `${paint(context.stderr, 'yellow', lines[0] ?? '')}\n${lines[1]}\n`;
  return { json: describeParkedTurn(result), notes, exit: exitCodeOf(code) };
}

/** A turn that ended early has the exit code of its error, where that has one, else that of the reason. */
function exitOf({ end, error }: Ended): ExitCode {
  if (end.reason === 'completed') return 0;
  if (end.reason === 'interrupted') return exitCodeOf('interrupted');
  if (end.reason === 'limit') return exitCodeOf('limit_reached');
  return exitOfError(error);
}

interface EndedTurn extends TurnAnswer {
  readonly result: Ended;
  readonly short: (id: RunId) => string;
}

function renderEnd(context: CliContext, store: FileStore, turn: EndedTurn): string {
  const { result, short, ms } = turn;
  const { session, end, usage, denied, error } = result;
  const id = short(session);
  const tone = end.reason === 'completed' ? 'green' : 'yellow';
  const head = `turn ${result.turn} ${end.reason} in ${(ms / 1000).toFixed(1)} s, ${usage.replies === 0 ? 'no reply' : renderUsage(usage)}`;
  const lines = [paint(context.stderr, tone, head)];
  if (error !== undefined && end.reason !== 'interrupted')
    lines.push(`error: ${escapeLine(error.message)} (${escapeLine(error.code)})`);
  for (const call of denied) lines.push(renderDenied(call));
  lines.push(...renderFiles(store, result, id));
  if (end.reason !== 'completed') lines.push(`go on: ramet run --session ${id} "..."`);
  lines.push(`fork here: ramet fork ${id} --at ${end.offset}`);
  return lines.map((line) => `${line}\n`).join('');
}

function renderFiles(store: FileStore, result: Ended, id: string): readonly string[] {
  const checkpoint = result.checkpoint === undefined ? null : knownEvent(result.checkpoint);
  if (checkpoint?.type !== 'workspace.checkpoint') return isInPlace(store, result) ? [IN_PLACE] : [];
  const { changed } = checkpoint;
  const total = changed.added + changed.modified + changed.deleted;
  const lost = describeLostGit(checkpoint);
  return [
    describeChanges(changed),
    ...(lost === null ? [] : [escapeLine(lost)]),
    `workspace: ${escapeLine(store.pathsOf(result.session).workspace)}`,
    ...(total === 0 && isUntouched(store, result.session) ? [] : [renderTaking(id)]),
  ];
}

/** What was denied, and by what: `denied  shell  git push  by the rule shell:git push* (--deny)`. */
function renderDenied({ tool, subject, reason }: Ended['denied'][number]): string {
  const why = reason.replace(/^denied:? /, '');
  return escapeLine(['denied', tool, truncateText(subject, 200), why].filter((part) => part !== '').join('  '));
}

const IN_PLACE = 'changed: not counted, and no checkpoint: the agent works in the folder itself';

function isInPlace(store: FileStore, { session }: Ended): boolean {
  const outline = store.read(session)?.readOutline();
  return outline !== undefined && deriveSessionOverview(outline.heads)?.workspace === 'directory';
}
