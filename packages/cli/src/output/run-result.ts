/** How a driven graph run is told: its output, or why it stopped and the command that goes on. */
import { type ExitCode, exitCodeOf } from '@ramet/core/codes';
import { escapeLine, escapeText, renderCount, renderJson, renderWords } from '@ramet/core/text';
import { type DescribedGateAnswer, describeDriven } from '@ramet/runtime/answers';
import type { ParkedFor, RunResult } from '@ramet/runtime/graph';
import { shortenIds } from '@ramet/runtime/inspect';
import type { FileStore } from '@ramet/runtime/store';
import type { Driven } from '../commands/drive.ts';
import type { CliContext } from '../context.ts';
import type { DriveFlags } from '../flags.ts';
import { type Answer, exitOfError } from './answer.ts';
import { renderRunFiles } from './run-files.ts';
import { renderSample } from './sample.ts';
import { paint } from './style.ts';
import { renderUsage } from './usage.ts';

export interface DrivenAnswer extends Driven {
  readonly flags: DriveFlags;
  /** The gate whose answer let it go on. */
  readonly gate?: Pick<DescribedGateAnswer, 'node' | 'gate'>;
}

/** The answer of `graph run`, `resume` and `answer`. */
export async function answerDriven(context: CliContext, store: FileStore, driven: DrivenAnswer): Promise<Answer> {
  const { result, gate = {} } = driven;
  return {
    json: { ...describeDriven(result), ...gate },
    text: result.status === 'completed' ? renderOutput(result.output) : '',
    notes: await renderDriven(context, store, driven),
    exit: exitOfRun(result),
  };
}

/** As of a call that waits, whatever else the run waits for. */
const PARKED = exitCodeOf('approval_pending');

/** The exit code of a run that was driven. */
export function exitOfRun({ status, error }: Pick<RunResult, 'status' | 'error'>): ExitCode {
  switch (status) {
    case 'completed':
      return 0;
    case 'parked':
      return PARKED;
    case 'interrupted':
      return exitCodeOf('interrupted');
    case 'abandoned':
      return exitCodeOf('run_ended');
    case 'failed':
      return exitOfError(error);
  }
}

/** A text as it is, anything else as JSON; of nothing, nothing. */
function renderOutput(output: unknown): string {
  if (output === null || output === undefined) return '';
  return typeof output === 'string' ? `${escapeText(output).trimEnd()}\n` : `${renderJson(output)}\n`;
}

/** What a person is told of a driven run; a program finds it in the answer. */
export async function renderDriven(context: CliContext, store: FileStore, driven: DrivenAnswer): Promise<string> {
  const { result, ms, flags } = driven;
  if (flags.json || flags.events) return '';
  const id = shortenIds(store)(result.run);
  const { status, error, usage, parked } = result;
  const tone = status === 'completed' ? 'green' : 'yellow';
  const used = usage.replies === 0 ? '' : `, ${renderUsage(usage)}`;
  const lines = [
    paint(context.stderr, tone, `run ${id} ${describeStatus(result)} in ${(ms / 1000).toFixed(1)} s${used}`),
  ];
  if (error !== undefined) lines.push(`error: ${escapeLine(error.message)} (${escapeLine(error.code)})`);
  if (parked !== undefined) lines.push(...renderParked(parked, id, reachOf(flags)));
  if (status === 'failed' || status === 'interrupted')
    lines.push(
      `go on: ${renderResume(id, [...reachOf(flags), ...(error?.code === 'approval_denied' ? ['--yes'] : [])])}`,
    );
  lines.push(...(await renderRunFiles(store, result.run, id)), `see the run: ramet show ${id}`);
  return lines.map((line) => `${line}\n`).join('');
}

function describeStatus({ status, parked }: RunResult): string {
  if (parked === undefined) return status;
  const parts = [
    ...(parked.gates.length === 0 ? [] : [renderCount(parked.gates.length, 'gate')]),
    ...(parked.calls.length === 0 ? [] : [renderCount(parked.calls.length, 'call')]),
  ];
  return `waits for a person (${parts.join(', ')}): parked`;
}

/** For each gate and call that waits, the very command that goes on. */
export function renderParked({ gates, calls }: ParkedFor, id: string, reach: readonly string[]): readonly string[] {
  const asked = gates.flatMap(({ node, question, answerSchema }) => {
    const command = ['ramet', 'answer', id, '--gate', node, ...reach, renderSample(answerSchema)];
    return [
      `gate ${escapeLine(node)}: ${escapeLine(question)}`,
      `  answer it: ${escapeLine(renderWords(command))}`,
      `  an answer is: ${renderJson(answerSchema)}`,
    ];
  });
  const open = calls.flatMap(({ node, message, reason }) => [
    `call of ${escapeLine(node)}: ${escapeLine(message)}`,
    reason === 'approval_pending'
      ? `  allow it: ${renderResume(id, [...reach, '--yes'])}`
      : `  then go on: ${renderResume(id, reach)}`,
  ]);
  return [...asked, ...open];
}

function renderResume(id: string, flags: readonly string[]): string {
  return escapeLine(renderWords(['ramet', 'resume', id, ...flags]));
}

/** What a command that goes on must say again: no run remembers it. */
function reachOf({ noSandbox, allowNet = [], trustProject }: DriveFlags): readonly string[] {
  return [
    ...(noSandbox ? ['--no-sandbox'] : []),
    ...allowNet.flatMap((host) => ['--allow-net', host]),
    ...(trustProject ? ['--trust-project'] : []),
  ];
}
