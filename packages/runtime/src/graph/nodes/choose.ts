/** A branch on which a model decides (W9): one request, whose answer must be one of the ways. */
import { type BranchNode, canonicalJson, evaluateAtNode, renderContext } from '@ramet/core';
import { ModelFailure } from '../../model/index.ts';
import { record } from '../../session/turn/context.ts';
import { sendRecorded } from '../../session/turn/requests/send.ts';
import type { OpenRun } from '../drive/types.ts';
import { openConversation } from './agent/conversation.ts';
import { lastTextOf } from './agent/output.ts';
import type { NodeWork, WorkEnd } from './types.ts';

const SYSTEM = 'You decide which way a workflow goes on. Answer with the name of one way, and nothing else.';

/** Lets a model choose a way. */
export async function chooseWay(run: OpenRun, work: NodeWork, definition: BranchNode): Promise<WorkEnd> {
  const { model, choices = {} } = definition;
  const { context } = openConversation(run, work, {
    system: SYSTEM,
    tools: [],
    ...(model === undefined ? {} : { model }),
  });
  const text = questionOf(run, work, definition);
  await record(context, [{ type: 'message', message: { role: 'user', content: text } }]);
  const { state } = context.fold;
  const reply = await sendRecorded(
    context,
    {
      system: SYSTEM,
      messages: renderContext(state.context, run.decode),
      tools: [],
      replyIndex: state.open?.replies ?? 0,
      purpose: 'turn',
      signal: work.signal,
    },
    state.context,
  );
  if (reply instanceof ModelFailure) return endOfFailure(work, reply);
  const answer = readName(lastTextOf(context.fold.state.context, run.decode));
  if (Object.hasOwn(choices, answer)) {
    return { kind: 'taken', drafts: [{ type: 'branch.take', node: work.node.path, take: answer, by: 'model' }] };
  }
  const ways = Object.keys(choices).join(', ');
  const message = `the model answered ${JSON.stringify(answer.slice(0, 200).toWellFormed())}, and the ways are ${ways}`;
  return { kind: 'failed', error: { code: 'output_invalid', message }, drafts: [] };
}

function endOfFailure({ signal }: NodeWork, { code, message }: ModelFailure): WorkEnd {
  if (signal.aborted) return { kind: 'interrupted', drafts: [] };
  const known = code === 'context_overflow' ? 'model_failed' : code;
  return { kind: 'failed', error: { code: known, message }, drafts: [] };
}

function questionOf(run: OpenRun, { node }: NodeWork, { question, choices = {} }: BranchNode): string {
  const { journal, decode } = run;
  const asked =
    question === undefined
      ? 'Which way does it go on?'
      : evaluateAtNode({ state: journal.state, decode }, node.path, question);
  const ways = Object.entries(choices).map(([name, meaning]) => `- ${name}: ${meaning}`);
  return [
    typeof asked === 'string' ? asked : canonicalJson(asked),
    `Input: ${canonicalJson(node.input)}`,
    `Ways:\n${ways.join('\n')}`,
  ].join('\n\n');
}

/** Models like to quote a name. */
function readName(text: string): string {
  return text.trim().replace(/^(["'`])(.*)\1$/, '$2');
}
