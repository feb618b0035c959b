/**
 * Answers to gates, whether or not their run is driven at this moment: other nodes may be at work while a gate waits.
 *
 * 1. An answer that was recorded is acted on: where the run stops at the very moment it is given, it is gone on with.
 * 2. Answers to one run are recorded one after another.
 */
import { isRefusal, type Refusal, type RunId } from '@ramet/core';
import type { AnsweredGate, DrivenRun } from '@ramet/runtime/graph';
import { viewGraphRun } from '@ramet/runtime/inspect/runs';
import { answerRunGate } from '@ramet/runtime/runs';
import type { GateAnswerBody } from '../contract/bodies.ts';
import { given } from './given.ts';
import { isOwnedHere } from './owned.ts';
import type { Parts } from './parts.ts';
import type { Driven } from './work/driven.ts';

export interface GateRequest {
  readonly id: RunId;
  readonly body: Pick<GateAnswerBody, 'gate' | 'answer'>;
  /** Goes on with the run, should it stop before it has acted on the answer. */
  readonly goOn: () => Promise<unknown>;
}

/** `isDriven`: the run was at work, and acts on the answer. */
export interface AnsweredHere extends AnsweredGate {
  readonly isDriven: boolean;
}

/** Records an answer to a gate. */
export type RecordAnswer = (request: GateRequest) => Promise<AnsweredHere | Refusal>;

/** Makes what records answers. */
export function makeAnswerRecorder(parts: Parts): RecordAnswer {
  const last = new Map<RunId, Promise<unknown>>();
  return async (request) => {
    const { id } = request;
    const answered = (last.get(id) ?? Promise.resolve()).then(() => recordAnswer(parts, request));
    const settled = answered.catch(() => {});
    last.set(id, settled);
    try {
      return await answered;
    } finally {
      if (last.get(id) === settled) last.delete(id);
    }
  };
}

/** How often an answer is tried again because the run begins or stops being driven meanwhile. */
const ATTEMPTS = 5;

async function recordAnswer(parts: Parts, request: GateRequest): Promise<AnsweredHere | Refusal> {
  for (let left = ATTEMPTS; ; left -= 1) {
    const driven = parts.supervisor.find(request.id);
    // One that is being opened cannot be told anything yet.
    const run = driven === null ? null : await Promise.race([driven.driving, driven.ended.then(() => null)]);
    const answered = await (driven === null || run === null
      ? answerIdle(parts, request)
      : answerDriven(parts, request, { driven, run }));
    if (answered === null) await driven?.ended;
    else if (left === 0 || !isRefusal(answered) || !isOwnedHere(answered)) return answered;
  }
}

async function answerIdle({ services }: Parts, { id, body }: GateRequest): Promise<AnsweredHere | Refusal> {
  const { gate, answer } = body;
  const answered = await answerRunGate(services, { id, ...given({ gate }), answer });
  return isRefusal(answered) ? answered : { ...answered, isDriven: false };
}

/** Null when it is not driven any more. */
async function answerDriven(
  parts: Parts,
  { id, body, goOn }: GateRequest,
  { driven, run }: { readonly driven: Driven; readonly run: DrivenRun },
): Promise<AnsweredHere | Refusal | null> {
  const { gate, answer } = body;
  const answered = await answerRunGate(parts.services, { id, ...given({ gate }), answer }, run);
  if (answered === null || isRefusal(answered)) return answered;
  void driven.ended.then(() => (isIdle(parts, id) ? goOn() : undefined));
  return { ...answered, isDriven: true };
}

/** Whether nobody drives a run that could be gone on with, and nothing of it was cut off. */
function isIdle({ services, supervisor }: Parts, id: RunId): boolean {
  if (supervisor.find(id) !== null) return false;
  const read = viewGraphRun(services.store, id);
  return !isRefusal(read) && read.view.state === 'idle';
}
