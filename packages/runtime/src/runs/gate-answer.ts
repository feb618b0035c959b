/**
 * Answers a gate as whoever has the run before them means it.
 *
 * 1. The same answer again is the same word, and no command to go on with what failed since.
 * 2. A refusal of another answer says what the first one was.
 */
import { isRefusal, type NodePath, type Refusal, type RunId, refuse, renderJson, truncateText } from '@ramet/core';
import { type AnsweredGate, answerGate } from '../graph/answer-gate.ts';
import type { DrivenRun } from '../graph/driven-run.ts';
import type { RunServices } from '../graph/types.ts';
import { shortenIds } from '../inspect/index.ts';
import { viewGraphRun } from '../inspect/runs/index.ts';
import type { FileStore } from '../store/index.ts';

export interface GateAnswer {
  readonly id: RunId;
  /** Offset of its `gate.open`, or its path; absent: the only one there is. */
  readonly gate?: number | NodePath;
  readonly answer: unknown;
}

/** Answers a gate for a person; `driven` where this process drives the run, and null is answered once it does not. */
export async function answerRunGate(services: RunServices, request: GateAnswer): Promise<AnsweredGate | Refusal>;
export async function answerRunGate(
  services: RunServices,
  request: GateAnswer,
  driven: DrivenRun,
): Promise<AnsweredGate | Refusal | null>;
export async function answerRunGate(
  services: RunServices,
  request: GateAnswer,
  driven?: DrivenRun,
): Promise<AnsweredGate | Refusal | null> {
  const { store } = services;
  const { id, answer } = request;
  const before = readStanding(store, id);
  const gate = request.gate ?? onlyAnswered(before);
  const named = gate === undefined ? {} : { gate };
  const said = { ...named, answer, by: 'person' } as const;
  const answered = await (driven === undefined ? answerGate(services, { id, ...said }) : driven.answerGate(said));
  if (answered === null) return null;
  if (isRefusal(answered)) return explainRefusal(answered, before);
  const isRepeated = before.state === 'failed' && before.answers.has(answered.gate);
  return isRepeated ? refuseAgain(store, id, answered) : answered;
}

/** How a run stood before it was answered. */
interface Standing {
  readonly state: string | null;
  /** What gates were answered with, by the offset at which they opened. */
  readonly answers: ReadonlyMap<number, unknown>;
  readonly hasOpen: boolean;
}

/** Of a log that cannot be read nothing is known here: answering it says why. */
function readStanding(store: FileStore, id: RunId): Standing {
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

function refuseAgain(store: FileStore, id: RunId, answered: AnsweredGate): Refusal {
  const message = `gate ${answered.node} was answered so already, and the run failed after that; go on with it: ramet resume ${shortenIds(store)(id)}`;
  return refuse('nothing_to_do', message, { run: id, ...answered });
}
