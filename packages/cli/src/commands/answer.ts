import type { Client } from '@ramet/client';
import { isRefusal, type Refusal } from '@ramet/core/codes';
import type { RunId } from '@ramet/core/events';
import { type DescribedGateAnswer, refuseGoingOn } from '@ramet/runtime/answers';
import { type AnsweredGate, resumeRun } from '@ramet/runtime/graph';
import { findGraphRun, shortenIds } from '@ramet/runtime/inspect';
import { answerRunGate, type GateAnswer } from '@ramet/runtime/runs';
import type { FileStore } from '@ramet/runtime/store';
import type { CliContext } from '../context.ts';
import { orByDaemon } from '../daemon/through.ts';
import type { AnswerFlags } from '../flags.ts';
import type { Action, Answer } from '../output/answer.ts';
import { answerDriven } from '../output/run-result.ts';
import { openStore } from '../store.ts';
import { drive, driveThere, servicesOf } from './drive.ts';
import { readJson } from './json-input.ts';

/** Answers a gate and goes on with the run. */
export const answer: Action<AnswerFlags, [string, string]> = async (context, flags, [text, said]) => {
  const store = openStore(context);
  const id = findGraphRun(store, text);
  if (isRefusal(id)) return id;
  const value = await readJson(context, 'the answer', said);
  if (isRefusal(value)) return value;
  const gate = flags.gate === undefined ? {} : { gate: parseGate(flags.gate) };
  const word = { ...gate, answer: value.value };
  const answered = await answerHereOrThere(context, { store, id, word });
  if (isRefusal(answered)) return answered;
  const { gate: place, there } = answered;
  const described: DescribedGateAnswer = { run: id, ...place };
  if (!flags.noStart) return goOn(context, flags, { store, answered: described, there });
  const json = { ...described, started: there !== null };
  const next = there === null ? `go on: ramet resume ${shortenIds(store)(id)}` : 'the daemon goes on with it';
  return { json, notes: `answered ${place.node}; ${next}\n` };
};

/** By its node, or by the offset at which it opened: no node's name begins with a digit. */
function parseGate(text: string): number | string {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

interface GateWord {
  readonly store: FileStore;
  readonly id: RunId;
  readonly word: Omit<GateAnswer, 'id'>;
}

interface AnsweredGateThere {
  readonly gate: AnsweredGate;
  /** The daemon that drives the run, and acts on the answer; null where none does. */
  readonly there: Client | null;
}

async function answerHereOrThere(
  context: CliContext,
  { store, id, word }: GateWord,
): Promise<AnsweredGateThere | Refusal> {
  const own = await answerRunGate(servicesOf(context, store), { id, ...word });
  const here: AnsweredGateThere | Refusal = isRefusal(own) ? own : { gate: own, there: null };
  return orByDaemon<AnsweredGateThere>(context, here, {
    store,
    id,
    act: async (client) => {
      const { answerGateThere } = await import('../daemon/run.ts');
      return { gate: await answerGateThere(client, id, word), there: client };
    },
  });
}

interface AnsweredRun {
  readonly store: FileStore;
  readonly answered: DescribedGateAnswer;
  readonly there: Client | null;
}

async function goOn(
  context: CliContext,
  flags: AnswerFlags,
  { store, answered, there }: AnsweredRun,
): Promise<Answer | Refusal> {
  const { run: id, node, gate } = answered;
  const driven =
    there === null
      ? await drive(context, { store, id, flags }, (services, settings) => resumeRun(services, { id, settings }))
      : await driveThere(context, { store, id, flags, client: there });
  if (isRefusal(driven)) return refuseGoingOn(driven, answered);
  return answerDriven(context, store, { ...driven, flags, gate: { node, gate } });
}
