import { isRefusal, type Refusal, refuse } from '@ramet/core/codes';
import type { RunId } from '@ramet/core/events';
import { renderJson, truncateText } from '@ramet/core/text';
import { answerGate, resumeRun } from '@ramet/runtime/graph';
import { viewGraphRun } from '@ramet/runtime/inspect/runs';
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
  const before = readAnswered(store, id);
  const gate = flags.gate === undefined ? onlyAnswered(before) : parseGate(flags.gate);
  const request = { id, ...(gate === undefined ? {} : { gate }), answer: value.value, by: 'person' } as const;
  const answered = await answerGate(servicesOf(context, store), request);
  if (isRefusal(answered)) return explainRefusal(answered, before);
  const run = { store, id, answered };
  if (before.state === 'failed' && before.answers.has(answered.gate)) return refuseAgain(run);
  if (flags.noStart) {
    const json = { run: id, ...answered, started: false };
    return { json, notes: `answered ${answered.node}; go on: ramet resume ${shortenIds(store)(id)}\n` };
  }
  return goOn(context, flags, run);
};

/** By its node, or by the offset at which it opened: no node's name begins with a digit. */
function parseGate(text: string): number | string {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

/** How a run stood before this command. */
interface Standing {
  readonly state: string | null;
  /** What gates were answered with, by the offset at which they opened. */
  readonly answers: ReadonlyMap<number, unknown>;
  readonly hasOpen: boolean;
}

/** Of a log that cannot be read nothing is known here: answering it says why. */
function readAnswered(store: FileStore, id: RunId): Standing {
  const read = viewGraphRun(store, id);
  if (isRefusal(read)) return { state: null, answers: new Map(), hasOpen: false };
  const gates = read.view.walk.flatMap(({ gate }) => (gate === undefined ? [] : [gate]));
  const answered = gates.filter((gate) => 'answer' in gate);
  return {
    state: read.view.state,
    answers: new Map(answered.map((gate) => [gate.offset, gate.answer])),
    hasOpen: answered.length < gates.length,
  };
}

/** The one gate there is, where that was answered: saying it again means that one. */
function onlyAnswered({ answers, hasOpen }: Standing): number | undefined {
  const [only, another] = answers.keys();
  return hasOpen || another !== undefined ? undefined : only;
}

const SHOWN_ANSWER = 200;

function explainRefusal(refusal: Refusal, { answers }: Standing): Refusal {
  const { gate, node } = refusal.data;
  if (refusal.code !== 'gate_answered' || typeof gate !== 'number' || !answers.has(gate)) return refusal;
  const given = truncateText(renderJson(answers.get(gate)), SHOWN_ANSWER);
  const message = `gate ${String(node)} was answered already, with ${given}; fork the run before it to answer otherwise`;
  return refuse(refusal.code, message, refusal.data);
}

interface AnsweredRun {
  readonly store: FileStore;
  readonly id: RunId;
  readonly answered: { readonly node: string; readonly gate: number };
}

/** Saying the same again changes nothing: going on with what failed since is a word of its own. */
function refuseAgain({ store, id, answered }: AnsweredRun): Refusal {
  const message = `gate ${answered.node} was answered so already, and the run failed after that; go on with it: ramet resume ${shortenIds(store)(id)}`;
  return refuse('nothing_to_do', message, { run: id, ...answered });
}

async function goOn(
  context: CliContext,
  flags: AnswerFlags,
  { store, id, answered }: AnsweredRun,
): Promise<Answer | Refusal> {
  const driven = await drive(context, { store, flags }, (services, settings) => resumeRun(services, { id, settings }));
  if (!isRefusal(driven)) return answerDriven(context, store, { ...driven, flags, added: answered });
  const message = `the answer to ${answered.node} is recorded, and the run did not go on: ${driven.message}`;
  return refuse(driven.code, message, { ...driven.data, run: id, ...answered });
}
