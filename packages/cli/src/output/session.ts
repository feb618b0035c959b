/** A session as text. Everything recorded is escaped. */
import type { RunId } from '@ramet/core/events';
import { escapeLine, escapeText, renderBytes, renderCount, renderJson, truncateText } from '@ramet/core/text';
import type { TranscriptEntry } from '@ramet/core/transcript';
import type { SessionView, TurnView } from '@ramet/runtime/inspect';
import type { CliContext } from '../context.ts';
import { renderFacts } from './facts.ts';
import { describeState } from './state.ts';
import { paint } from './style.ts';
import { renderUsage } from './usage.ts';

export interface RenderOptions {
  readonly short: (id: RunId) => string;
  /** Do not shorten long texts. */
  readonly isFull: boolean;
}

const SHOWN_LINES = 12;
const SHOWN_CHARACTERS = 1_000;

/** Renders a session: facts first, then turn by turn. */
export function renderSession(context: CliContext, view: SessionView, options: RenderOptions): string {
  const title = paint(context.stdout, 'bold', escapeLine(view.title) || '(no title)');
  const facts = renderFacts(
    context.stdout,
    listFacts(view, options).map(([label = '', text = '']) => ({ label, text })),
  );
  const turns = view.turns.flatMap((turn) => ['', ...renderTurn(context, turn, { ...options, id: view.id })]);
  return [title, ...facts, ...turns].map((line) => `${line}\n`).join('');
}

function listFacts(view: SessionView, { short }: RenderOptions): readonly (readonly string[])[] {
  const { forkedFrom, workspace, damage, bytes, own, inherited } = view;
  const facts: (readonly [string, string])[] = [
    ['id', view.id],
    ['state', describeState(view)],
  ];
  if (damage !== undefined) {
    facts.push([
      'damage',
      escapeLine(`${damage.segment}, line ${damage.line}: expected ${damage.expected}, found ${damage.found}`),
    ]);
  }
  if (forkedFrom !== undefined) {
    const removed = forkedFrom.removed ? ' (removed)' : '';
    const { id, offset, fromNode } = forkedFrom;
    const label = fromNode === undefined ? 'fork of' : 'from node';
    const of = fromNode === undefined ? '' : `${escapeLine(fromNode)} of run `;
    facts.push([label, `${of}${short(id)} at ${offset}${removed}`]);
  }
  if (view.outstanding > 0)
    facts.push(['outstanding', `${renderCount(view.outstanding, 'write')} the fork did not undo`]);
  if (view.model !== undefined) facts.push(['model', escapeLine(view.model)]);
  if (view.rules.length > 0) facts.push(['rules', view.rules.map(describeRule).join(', ')]);
  facts.push(['workspace', describeWorkspace(workspace)]);
  if (workspace.path !== undefined) facts.push(['folder', escapeLine(workspace.path)]);
  facts.push(['usage', renderUsage(own.usage)]);
  if (inherited.usage.replies > 0) facts.push(['inherited', renderUsage(inherited.usage)]);
  facts.push(['log', renderCount(view.events, 'event')]);
  facts.push(['size', `${renderBytes(bytes.own)} own, ${renderBytes(bytes.shared)} shared`]);
  return facts;
}

function describeRule({ tool, match, do: verdict }: SessionView['rules'][number]): string {
  return escapeLine(`${verdict} ${match === undefined ? tool : `${tool}:${match}`} (--${verdict})`);
}

function describeWorkspace(workspace: SessionView['workspace']): string {
  const { kind, path, base, branch, restored } = workspace;
  const from = base === null ? '' : `, from ${branch === null ? '' : `${escapeLine(branch)} `}${base.slice(0, 12)}`;
  if (kind === 'none') return 'none';
  const how =
    restored === undefined
      ? ''
      : `, ${restored.outcome}${restored.reason === undefined ? '' : `: ${escapeLine(restored.reason)}`}`;
  return `${kind}${path === undefined ? ', made when the session first runs' : ''}${from}${how}`;
}

function renderTurn(
  context: CliContext,
  turn: TurnView,
  options: RenderOptions & { readonly id: RunId },
): readonly string[] {
  const { end, checkpoint } = turn;
  const inherited = turn.inherited ? ' (inherited)' : '';
  const ended = end === null ? 'open' : `${end.reason}, ends at ${end.offset}`;
  const head = paint(context.stdout, 'bold', `turn ${turn.turn}${inherited}: ${ended}`);
  const lines = [head, ...turn.transcript.flatMap((entry) => renderEntry(context, entry, options.isFull))];
  if (end?.error !== undefined) lines.push(`  error: ${escapeLine(end.error.message)} (${escapeLine(end.error.code)})`);
  if (end !== null) lines.push(...renderCheckpoint(end, checkpoint));
  if (end !== null) {
    const command = `ramet fork ${options.short(options.id)} --at ${end.offset}`;
    lines.push(paint(context.stdout, 'dim', `  fork here: ${command}`));
  }
  return lines;
}

function renderCheckpoint(end: NonNullable<TurnView['end']>, checkpoint: TurnView['checkpoint']): readonly string[] {
  if (checkpoint === null) return [`  no checkpoint: ${escapeLine(end.why ?? 'no reason is recorded')}`];
  const { id, files, bytes, head, commit, operation, leftOut } = checkpoint;
  const at = `HEAD ${escapeLine(head)}${commit === null ? ' (no commit yet)' : ` ${commit.slice(0, 12)}`}`;
  const during = operation === null ? '' : `, during a ${escapeLine(operation)}`;
  const lines = [
    `  checkpoint ${id.slice(0, 12)}: ${renderCount(files, 'file')}, ${renderBytes(bytes)}, ${at}${during}`,
  ];
  if (leftOut.length > 0) {
    const named = leftOut.slice(0, 10).map((entry) => `${escapeLine(entry.path)} (${escapeLine(entry.reason)})`);
    const more = leftOut.length > named.length ? `, and ${leftOut.length - named.length} more` : '';
    lines.push(`  left out: ${named.join(', ')}${more}`);
  }
  return lines;
}

function renderEntry(context: CliContext, entry: TranscriptEntry, isFull: boolean): readonly string[] {
  const { label, text } = describeEntry(entry);
  const lines = shorten(escapeText(text).split('\n'), isFull);
  const head = `  ${paint(context.stdout, 'dim', `[${entry.offset}]`)} ${paint(context.stdout, 'cyan', label)}`;
  return [`${head} ${lines[0] ?? ''}`.trimEnd(), ...lines.slice(1).map((line) => `      ${line}`)];
}

/** An entry of a transcript: who or what, and what it says. The label is escaped, the text is not. */
export function describeEntry(entry: TranscriptEntry): { readonly label: string; readonly text: string } {
  switch (entry.kind) {
    case 'user': {
      const files = entry.files.map((file) => `[${file.filename ?? 'file'}, ${file.mediaType}]`);
      const notices = entry.notices.map((notice) => `[told: ${notice}]`);
      return { label: 'you', text: [...notices, entry.text, ...files].join('\n') };
    }
    case 'assistant':
      return { label: 'agent', text: entry.text };
    case 'reasoning':
      return { label: 'thinking', text: entry.text };
    case 'call':
      return { label: `call ${escapeLine(entry.tool)}`, text: renderInput(entry.input) };
    case 'result':
      return { label: `result ${escapeLine(entry.tool)} ${entry.outcome}`, text: renderOutput(entry.output) };
    case 'asked':
      return { label: `asked about ${escapeLine(entry.tool)}`, text: entry.reason };
    case 'approval':
      return { label: 'answer', text: `${entry.answer} (by ${entry.by === 'flag' ? 'a flag' : entry.by})` };
    case 'resolved':
      return { label: 'resolved', text: entry.resolution };
    case 'failed_request':
      return { label: 'request failed', text: `${entry.message} (${entry.code})` };
    case 'summary':
      return { label: 'summary of what came before', text: entry.text };
  }
}

/** A call's input: its one text where it has just one, else JSON. */
export function renderInput(input: unknown): string {
  const fields = typeof input === 'object' && input !== null ? Object.values(input) : [];
  const [only] = fields;
  return fields.length === 1 && typeof only === 'string' ? only : renderJson(input);
}

function renderOutput(output: unknown): string {
  const value = typeof output === 'object' && output !== null && 'value' in output ? output.value : output;
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || !('exitCode' in value)) return renderJson(value);
  const { exitCode, stdout, stderr } = value as Readonly<Record<string, unknown>>;
  const said = [stdout, stderr].filter((text) => typeof text === 'string' && text !== '').join('\n');
  return `exit ${String(exitCode)}${said === '' ? '' : `\n${said.trimEnd()}`}`;
}

function shorten(lines: readonly string[], isFull: boolean): readonly string[] {
  if (isFull) return lines;
  const kept: string[] = [];
  let left = SHOWN_CHARACTERS;
  for (const line of lines.slice(0, SHOWN_LINES)) {
    if (left <= 0) break;
    kept.push(truncateText(line, left));
    left -= line.length;
  }
  const dropped = lines.length - kept.length;
  return dropped > 0 ? [...kept, `(${renderCount(dropped, 'more line')}: --full shows all)`] : kept;
}
