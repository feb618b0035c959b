/** Records a person's answer to a gate (W14). Whoever goes on with the run acts on it. */
import {
  canonicalJson,
  type Decode,
  decodeValue,
  type EventDraft,
  type EventOf,
  isRefusal,
  knownEvent,
  type LoggedEvent,
  type NodePath,
  type Refusal,
  type RunId,
  type RunState,
  refuse,
} from '@ramet/core';
import type { OwnedLog } from '../store/index.ts';
import { checkAgainst } from './documents/json-schema.ts';
import { findValueProblem } from './documents/value-problem.ts';
import { foldRun, refuseEnded } from './history/fold-run.ts';
import type { RunServices } from './types.ts';

export interface AnswerRequest {
  readonly id: RunId;
  /** Offset of its `gate.open`, or its path; absent: the only open one. */
  readonly gate?: number | NodePath;
  readonly answer: unknown;
  readonly by: 'person' | 'flag';
}

export interface AnsweredGate {
  readonly node: NodePath;
  /** Offset of its `gate.open`. */
  readonly gate: number;
}

/** Answers a gate once: the same answer again changes nothing, another one is refused. */
export async function answerGate(services: RunServices, request: AnswerRequest): Promise<AnsweredGate | Refusal> {
  const log = await services.store.own(request.id);
  if (isRefusal(log)) return log;
  try {
    const folded = foldRun(services.store, log);
    if (isRefusal(folded)) return folded;
    const record = (draft: EventDraft): Promise<unknown> => log.append([draft], { durable: true });
    return await answerRecorded({ state: folded.fold.state, log, record }, request);
  } finally {
    log.close();
  }
}

/** A run's log that is ours, what it amounts to, and how an event is recorded in it durably. */
export interface AnswerPlace {
  readonly state: RunState;
  readonly log: Pick<OwnedLog, 'readEvents' | 'readPayload'>;
  readonly record: (draft: EventDraft) => Promise<unknown>;
}

interface RecordedGate {
  readonly open: EventOf<'gate.open'>;
  readonly node: NodePath;
  answer?: EventOf<'gate.answer'>;
}

/** Judges an answer and records it; no other may be judged before it is there. */
export async function answerRecorded(
  { state, log, record }: AnswerPlace,
  request: AnswerRequest,
): Promise<AnsweredGate | Refusal> {
  const gates = readGates(log.readEvents());
  const gate = findGate(gates, request);
  if (isRefusal(gate)) return gate;
  const decode: Decode = (value) => decodeValue(value, log.readPayload);
  const place = { node: gate.node, gate: gate.open.seq };
  if (gate.answer !== undefined) {
    const same = canonicalJson(decode(gate.answer.answer)) === canonicalJson(request.answer);
    const message = `gate ${gate.node} of run ${request.id} was answered at offset ${gate.answer.seq}, and not so; fork the run before it to answer otherwise`;
    return same ? place : refuse('gate_answered', message, { ...place, id: request.id });
  }
  const ended = refuseEnded({ state });
  if (ended !== null) return ended;
  const schema = decode(gate.open.answerSchema) as Readonly<Record<string, unknown>>;
  const problem = findValueProblem(request.answer) ?? (await checkAgainst(schema, request.answer));
  if (problem !== null)
    return refuse('bad_input', `gate ${gate.node} takes another answer: ${problem}`, { ...place, schema });
  const { answer, by } = request;
  await record({ type: 'gate.answer', node: gate.node, gate: gate.open.seq, answer, by });
  return place;
}

/** Every gate that opened, in order, with its answer. */
function readGates(events: Iterable<LoggedEvent>): readonly RecordedGate[] {
  const gates = new Map<number, RecordedGate>();
  for (const event of events) {
    if (event.type !== 'gate.open' && event.type !== 'gate.answer') continue;
    const known = knownEvent(event);
    if (known?.type === 'gate.open' && known.node !== undefined)
      gates.set(known.seq, { open: known, node: known.node });
    const gate = known?.type === 'gate.answer' ? gates.get(known.gate) : undefined;
    if (known?.type === 'gate.answer' && gate !== undefined) gate.answer ??= known;
  }
  return [...gates.values()];
}

function findGate(gates: readonly RecordedGate[], { id, gate }: AnswerRequest): RecordedGate | Refusal {
  const open = gates.filter(({ answer }) => answer === undefined);
  const list = open.map(({ node, open: { seq } }) => ({ node, offset: seq }));
  const shown = list.map(({ node, offset }) => `${node} (offset ${offset})`).join(', ');
  const those = list.length === 0 ? 'none is open' : `these are open: ${shown}`;
  if (gate === undefined) {
    const [only, another] = open;
    if (only !== undefined && another === undefined) return only;
    if (only === undefined) return refuse('unknown_gate', `no gate of run ${id} waits for an answer`, { id, open: [] });
    return refuse('ambiguous_gate', `several gates of run ${id} wait for an answer, name one; ${those}`, {
      id,
      open: list,
    });
  }
  const named = gates.findLast(({ node, open: { seq } }) => (typeof gate === 'number' ? seq === gate : node === gate));
  return named ?? refuse('unknown_gate', `run ${id} has no gate ${gate}; ${those}`, { id, open: list });
}
