import { isRefusal, type Refusal, refuse } from '@ramet/core/codes';
import type { RunId } from '@ramet/core/events';
import { answerGate, resumeRun } from '@ramet/runtime/graph';
import type { FileStore } from '@ramet/runtime/store';
import type { CliContext } from '../context.ts';
import type { AnswerFlags } from '../flags.ts';
import type { Action, Answer } from '../output/answer.ts';
import { answerDriven } from '../output/run-result.ts';
import { findGraphRun, openStore, shortenIds } from '../store.ts';
import { drive, servicesOf } from './drive.ts';
import { readJson } from './json-input.ts';

/** Answers a gate and goes on with the run. */
export const answer: Action<AnswerFlags, [string, string]> = async (context, flags, [text, said]) => {
  const store = openStore(context);
  const id = findGraphRun(store, text);
  if (isRefusal(id)) return id;
  const value = await readJson(context, 'the answer', said);
  if (isRefusal(value)) return value;
  const gate = flags.gate === undefined ? {} : { gate: parseGate(flags.gate) };
  const request = { id, ...gate, answer: value.value, by: 'person' } as const;
  const answered = await answerGate(servicesOf(context, store), request);
  if (isRefusal(answered)) return answered;
  if (flags.noStart) {
    const json = { run: id, ...answered, started: false };
    return { json, notes: `answered ${answered.node}; go on: ramet resume ${shortenIds(store)(id)}\n` };
  }
  return goOn(context, flags, { store, id, answered });
};

/** By its node, or by the offset at which it opened: no node's name begins with a digit. */
function parseGate(text: string): number | string {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

async function goOn(
  context: CliContext,
  flags: AnswerFlags,
  run: {
    readonly store: FileStore;
    readonly id: RunId;
    readonly answered: { readonly node: string; readonly gate: number };
  },
): Promise<Answer | Refusal> {
  const { store, id, answered } = run;
  const driven = await drive(context, { store, flags }, (services, settings) => resumeRun(services, { id, settings }));
  if (!isRefusal(driven)) return answerDriven(context, store, { ...driven, flags, added: answered });
  const message = `the answer to ${answered.node} is recorded, and the run did not go on: ${driven.message}`;
  return refuse(driven.code, message, { ...driven.data, run: id, ...answered });
}
