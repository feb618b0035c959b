/**
 * How every command answers.
 *
 * 1. With `--json` stdout gets exactly one JSON document and nothing else, whatever happens.
 * 2. Without it the answer is text on stdout; refusals, failures and notes go to stderr, in one line where they fit one.
 * 3. The exit code comes from the table of codes.
 */
import {
  describeError,
  describeProblem,
  type ExitCode,
  exitCodeOf,
  isCode,
  isRefusal,
  type ProblemReport,
  type Refusal,
} from '@ramet/core/codes';
import { escapeText, renderJson } from '@ramet/core/text';
import type { CliContext } from '../context.ts';

/** An answer in its two forms. Texts are escaped already and end with a newline, or are empty. */
export interface Answer {
  /** Absent: the command printed its one document itself, before it was done. */
  readonly json?: unknown;
  readonly text?: string;
  /** For stderr: what a person wants to know and a program does not. */
  readonly notes?: string;
  /** Absent: 0. */
  readonly exit?: ExitCode;
}

export interface AnswerFlags {
  readonly json?: boolean | undefined;
  readonly events?: boolean | undefined;
}

/** A command's work: from flags and arguments to an answer. */
export type Action<F, A extends readonly unknown[]> = (
  context: CliContext,
  flags: F,
  args: A,
) => Promise<Answer | Refusal>;

/** Does a command's work and prints what came of it; never throws. */
export async function perform(
  context: CliContext,
  flags: AnswerFlags,
  work: () => Promise<Answer | Refusal>,
): Promise<void> {
  const isJson = flags.json === true || flags.events === true;
  try {
    const answer = await work();
    if (isRefusal(answer)) printProblem(context, isJson, await explain(context, answer));
    else printAnswer(context, isJson, answer);
  } catch (error) {
    printProblem(context, isJson, explainError(error, context));
  }
}

/** Only what is in use elsewhere asks who uses it. */
async function explain(context: CliContext, refusal: Refusal): Promise<Refusal> {
  if (refusal.code !== 'owned_elsewhere') return refusal;
  const { explainInUse } = await import('../daemon/in-use.ts');
  return explainInUse(context, refusal);
}

/** Prints a refusal or a failure. */
export function printProblem(context: CliContext, isJson: boolean, problem: ProblemReport): void {
  const { code, message } = problem;
  if (isJson) context.stdout.write(`${renderJson(describeProblem(problem))}\n`);
  else context.stderr.write(`ramet: ${escapeText(message)} (${code})\n`);
  context.exit(exitCodeOf(code));
}

function printAnswer(context: CliContext, isJson: boolean, answer: Answer): void {
  const { json, text = '', notes = '', exit = 0 } = answer;
  if (isJson && json !== undefined) context.stdout.write(`${renderJson(json)}\n`);
  if (!isJson) {
    if (text !== '') context.stdout.write(text);
    if (notes !== '') context.stderr.write(notes);
  }
  context.exit(exit);
}

/** With RAMET_DEBUG the stack is printed, without it the answer says how to see one. */
function explainError(error: unknown, { env, stderr }: CliContext): ProblemReport {
  if (env.RAMET_DEBUG && error instanceof Error) stderr.write(`${escapeText(error.stack ?? '')}\n`);
  return describeError(error, env.RAMET_DEBUG ? '' : '; set RAMET_DEBUG=1 to see where');
}

/** The exit code of an error that was recorded: that of its code, where the table has it. */
export function exitOfError(error: { readonly code: string } | undefined): ExitCode {
  return isCode(error?.code) ? exitCodeOf(error.code) : UNKNOWN_ERROR;
}

/** As every fault. */
const UNKNOWN_ERROR: ExitCode = 2;
