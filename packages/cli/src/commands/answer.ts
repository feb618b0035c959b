import { isRefusal, type Refusal } from '@ramet/core/codes';
import { type DescribedGateAnswer, refuseGoingOn } from '@ramet/runtime/answers';
import { resumeRun } from '@ramet/runtime/graph';
import { findGraphRun, shortenIds } from '@ramet/runtime/inspect';
import { answerRunGate } from '@ramet/runtime/runs';
import type { FileStore } from '@ramet/runtime/store';
import type { CliContext } from '../context.ts';
import type { AnswerFlags } from '../flags.ts';
import type { Action, Answer } from '../output/answer.ts';
import { answerDriven } from '../output/run-result.ts';
import { openStore } from '../store.ts';
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
  const answered = await answerRunGate(servicesOf(context, store), { id, ...gate, answer: value.value });
  if (isRefusal(answered)) return answered;
  const described: DescribedGateAnswer = { run: id, ...answered };
  if (!flags.noStart) return goOn(context, flags, { store, answered: described });
  const json: DescribedGateAnswer = { ...described, started: false };
  return { json, notes: `answered ${answered.node}; go on: ramet resume ${shortenIds(store)(id)}\n` };
};

/** By its node, or by the offset at which it opened: no node's name begins with a digit. */
function parseGate(text: string): number | string {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

async function goOn(
  context: CliContext,
  flags: AnswerFlags,
  { store, answered }: { readonly store: FileStore; readonly answered: DescribedGateAnswer },
): Promise<Answer | Refusal> {
  const { run: id, node, gate } = answered;
  const driven = await drive(context, { store, flags }, (services, settings) => resumeRun(services, { id, settings }));
  if (isRefusal(driven)) return refuseGoingOn(driven, answered);
  return answerDriven(context, store, { ...driven, flags, gate: { node, gate } });
}
