/** Questions to a person at a terminal. Questions and answers go through stderr: stdout is for the answer. */
import { confirm, isCancel, select } from '@clack/prompts';
import { escapeLine, escapeText, truncateText } from '@ramet/core/text';
import type { ApprovalQuestion, ApprovalReply } from '@ramet/runtime/session';
import type { Interruption } from '../context.ts';
import { renderInput } from '../output/session.ts';

/** A question with yes or no; Ctrl-C is a no. */
export async function askYesNo(message: string): Promise<boolean> {
  const answer = await confirm({ message, initialValue: false, output: process.stderr });
  return answer === true;
}

/** Asks about one call; Ctrl-C interrupts the turn. */
export async function askApproval(
  question: ApprovalQuestion,
  interruption: Interruption,
  signal: AbortSignal,
): Promise<ApprovalReply> {
  const choice = await select({
    message: renderQuestion(question),
    options: listChoices(question),
    output: process.stderr,
    signal,
  });
  if (isCancel(choice)) {
    // A question that was taken back was not cancelled by the person.
    if (!signal.aborted) interruption.interrupt();
    throw new Error('the person interrupted the turn');
  }
  const scope = choice === 'session' ? 'session' : 'once';
  return { answer: choice === 'once' || choice === 'session' ? 'allow' : choice, scope, by: 'person' };
}

type Choice = 'once' | 'session' | 'deny' | 'reuse';

function listChoices({ matches }: ApprovalQuestion): { value: Choice; label: string }[] {
  if (matches) {
    return [
      { value: 'reuse', label: 'Do not send it again: use the receipt of the first time' },
      { value: 'once', label: 'Send it again' },
      { value: 'deny', label: 'Deny it' },
    ];
  }
  return [
    { value: 'once', label: 'Allow this call' },
    { value: 'session', label: 'Allow this very call for the rest of the session' },
    { value: 'deny', label: 'Deny it' },
  ];
}

function renderQuestion(question: ApprovalQuestion): string {
  const { tool, input, reason, outstanding, matches } = question;
  const lines = [`${escapeLine(tool)}: ${escapeLine(reason)}`, truncateText(escapeText(renderInput(input)), 2_000)];
  if (matches) lines.push('This very write was made before the fork, and the fork did not undo it.');
  for (const write of outstanding.slice(0, 5)) {
    lines.push(
      `made before: ${write.offset}  ${truncateText(escapeLine(renderInput(write.input)), 160)} (${write.outcome})`,
    );
  }
  return lines.join('\n');
}
