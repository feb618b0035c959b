/**
 * Makes room in the context: the model writes a summary, and the log says what it stands for. The events themselves stay.
 */
import { type ContextEvent, type Message, renderContext } from '@ramet/core';
import { ModelFailure, type ModelReply } from '../../../model/index.ts';
import { openTurnOf, record, type TurnContext } from '../context.ts';
import { decodeWith } from '../decode.ts';
import type { StepOutcome } from '../outcome.ts';
import { endByFailure, sendRecorded } from './send.ts';

/** The context is compacted above this part of what the model holds. */
const FULL = 0.8;

/** Characters that are left of a tool's answer when a conversation is too long to be summarised whole. */
const SHORT_RESULT = 1000;

const INSTRUCTION = [
  'The conversation no longer fits. Write what someone who takes over needs: the task and its constraints, what was',
  'decided and why, what was changed and where, what is known to work or fail, and what comes next. Names, paths and',
  'commands exactly. No preamble.',
].join(' ');

/** Whether the last reply says that the context is nearly full. */
export function isNearlyFull(context: TurnContext): boolean {
  const { contextTokens: used } = context.fold.state;
  const { contextTokens: holds } = context.model;
  return used !== undefined && holds !== undefined && used > holds * FULL && chooseEnd(context) !== null;
}

/** Replaces what can be replaced by a summary; ends the turn when nothing can, or when the model cannot write one. */
export async function compactContext(context: TurnContext): Promise<StepOutcome> {
  const through = chooseEnd(context);
  if (through === null) {
    const message = 'the message and its context do not fit in the model, and there is nothing left to summarise';
    return { kind: 'end', reason: 'failed', error: { code: 'model_failed', message } };
  }
  const { state } = context.fold;
  const replaced = state.context.filter((event) => event.type === 'context.compact' || event.seq <= through);
  const whole = await summarise(context, replaced);
  const tooLong = whole instanceof ModelFailure && whole.code === 'context_overflow';
  const reply = tooLong ? await summarise(context, replaced.map(shortenResult)) : whole;
  if (reply instanceof ModelFailure) return endByFailure(context, reply);
  const summary = reply.message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  if (summary.trim() === '') {
    const message = 'the model answered the request for a summary of the conversation with nothing; try another model';
    return { kind: 'end', reason: 'failed', error: { code: 'model_failed', message } };
  }
  await record(context, [{ type: 'context.compact', summary, through }]);
  return null;
}

function summarise(context: TurnContext, events: readonly ContextEvent[]): Promise<ModelReply | ModelFailure> {
  const instruction: Message = { role: 'user', content: INSTRUCTION };
  const request = {
    system: context.system,
    messages: [...renderContext(events, decodeWith(context.log)), instruction],
    tools: [],
    replyIndex: openTurnOf(context.fold.state).replies,
    purpose: 'compact' as const,
    signal: context.signal,
  };
  return sendRecorded(context, request, events);
}

/** What does not fit as a whole is summarised without the bulk of what tools answered. */
function shortenResult(event: ContextEvent): ContextEvent {
  if (event.type !== 'tool.result') return event;
  const text = JSON.stringify(event.output);
  if (text.length <= SHORT_RESULT) return event;
  const value = `${text.slice(0, SHORT_RESULT)} [cut: ${text.length} characters]`.toWellFormed();
  return { ...event, output: { type: 'text', value } };
}

/**
 * The last event a summary would stand for: everything before the open turn, or, when there is nothing, the open turn so
 * far. Null when there is nothing to gain.
 */
function chooseEnd(context: TurnContext): number | null {
  const { state } = context.fold;
  const { start } = openTurnOf(state);
  const before = state.context.filter((event) => event.type !== 'context.compact' && event.seq < start);
  if (before.length > 0) return start - 1;
  const last = state.context.at(-1);
  return last === undefined || last.seq <= start || last.type === 'context.compact' ? null : last.seq;
}
