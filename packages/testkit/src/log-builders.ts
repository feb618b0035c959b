/**
 * Builds logs for tests: a session from a plan of turns, its lines, forks of it, its outline in memory, and its folder
 * on a disk written without the store.
 *
 * 1. The same plan gives the same bytes: ids, times and keys are counted, not drawn.
 * 2. A planned turn that is not left open is a turn the log format allows.
 */
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CHAIN_START,
  type Contained,
  type Cost,
  chainAfter,
  createOutliner,
  type Digest,
  type Effect,
  type EncodedLine,
  type EndReason,
  type EventDraft,
  encodeNext,
  type ForkSource,
  lastDigestOf,
  type OutstandingWrite,
  type RunId,
  type SegmentOutline,
  type Sha256,
  type ToolOutcomeKind,
  type ToolOutput,
  type Usage,
  type WorkspaceKind,
} from '@ramet/core';

/** Node's SHA-256 as core wants it. */
export const sha256: Sha256 = (data) => createHash('sha256').update(data).digest('hex') as Digest;

/** A run id that counts: `makeTestId(1)` is always the same. */
export function makeTestId(number: number): RunId {
  return `01890000-0000-7000-8000-${number.toString(16).padStart(12, '0')}` as RunId;
}

/** One call of a reply; what is absent is a contained write that went well. */
export interface CallPlan {
  readonly callId?: string;
  readonly tool?: string;
  readonly input?: unknown;
  readonly effect?: Effect;
  readonly contained?: Contained;
  readonly key?: string;
  /** `denied` has no intent. */
  readonly outcome?: ToolOutcomeKind;
  readonly output?: ToolOutput;
  readonly egress?: readonly string[];
  /** The attempt was cut off, and this followed: a second attempt, or a person's word. */
  readonly cutOff?: 'retry' | 'did_not_happen';
}

export interface ReplyPlan {
  readonly text?: string;
  readonly calls?: readonly CallPlan[];
  readonly usage?: Usage;
  readonly cost?: Cost;
}

export interface TurnPlan {
  readonly prompt?: string;
  /** Absent: one reply of text. */
  readonly replies?: readonly ReplyPlan[];
  readonly reason?: EndReason;
  /** Null: the end names no checkpoint. Absent: a counted id. */
  readonly checkpoint?: string | null;
  /** Leave the turn without a `session.end`. */
  readonly open?: boolean;
}

export interface SessionPlan {
  readonly id?: RunId;
  readonly title?: string;
  readonly project?: string | null;
  readonly cwd?: string;
  readonly workspace?: WorkspaceKind;
  readonly model?: string;
  readonly turns: readonly TurnPlan[];
}

/** The events of a session, from `session.start` on. */
export function buildSession(plan: SessionPlan): readonly EventDraft[] {
  const { id = makeTestId(1), title, project = 'project-1', cwd = '', workspace = 'git', model = 'test/model' } = plan;
  return [
    {
      type: 'session.start',
      schema: 1,
      id,
      project,
      cwd,
      workspace,
      ...(title === undefined ? {} : { title }),
      versions: { ramet: '0.0.0' },
    },
    buildConfig(model),
    ...plan.turns.flatMap((turn, index) => buildTurn(turn, index + 1)),
  ];
}

/** A `session.config` for a model. */
export function buildConfig(model: string): EventDraft {
  return {
    type: 'session.config',
    schema: 1,
    model: { name: model },
    tools: [{ name: 'shell', effect: 'write', contained: 'unless_egress' }],
    permissions: [],
    sandbox: 'bubblewrap',
    allowNet: [],
    instructions: [],
  };
}

/** The events of one turn; `number` makes its counted ids. */
export function buildTurn(plan: TurnPlan, number: number): readonly EventDraft[] {
  const { prompt = `prompt ${number}`, replies = [{ text: `answer ${number}` }], reason = 'completed' } = plan;
  const checkpoint = plan.checkpoint === undefined ? `checkpoint-${number}` : plan.checkpoint;
  return [
    { type: 'message', message: { role: 'user', content: prompt } },
    ...replies.flatMap((reply, index) => buildReply(reply, `${number}.${index + 1}`)),
    ...(plan.open === true ? [] : buildEnd(reason, checkpoint)),
  ];
}

function buildEnd(reason: EndReason, checkpoint: string | null): readonly EventDraft[] {
  if (checkpoint === null) return [{ type: 'session.end', reason, checkpoint: 'none', why: 'directory' }];
  return [
    {
      type: 'workspace.checkpoint',
      id: checkpoint,
      files: 3,
      bytes: 300,
      head: 'refs/heads/main',
      commit: null,
      operation: null,
      leftOut: [],
      changed: { added: 0, modified: 1, deleted: 0, paths: ['file.txt'] },
    },
    { type: 'session.end', reason, checkpoint },
  ];
}

function buildReply(plan: ReplyPlan, name: string): readonly EventDraft[] {
  const calls = (plan.calls ?? []).map((call, index) => ({ ...call, callId: call.callId ?? `call-${name}.${index}` }));
  const text = plan.text === undefined ? [] : [{ type: 'text' as const, text: plan.text }];
  const parts = calls.map(({ callId, tool = 'shell', input = { command: 'true' } }) => {
    return { type: 'tool-call' as const, toolCallId: callId, toolName: tool, input };
  });
  return [
    { type: 'model.request', digest: sha256(name), model: 'test/model', attempt: 1, purpose: 'turn' },
    {
      type: 'model.response',
      model: 'test/model',
      attempt: 1,
      purpose: 'turn',
      message: { role: 'assistant', content: [...text, ...parts] },
      finishReason: parts.length > 0 ? 'tool-calls' : 'stop',
      ...(plan.usage === undefined ? {} : { usage: plan.usage }),
      ...(plan.cost === undefined ? {} : { cost: plan.cost }),
    },
    ...calls.flatMap((call, index) => buildCall(call, `key-${name}.${index}`)),
  ];
}

function buildCall(plan: CallPlan & { readonly callId: string }, countedKey: string): readonly EventDraft[] {
  const { callId, tool = 'shell', input = { command: 'true' }, effect = 'write', contained = true } = plan;
  const { key = countedKey, outcome = 'ok', output = { type: 'text', value: 'done' }, egress } = plan;
  const intent: EventDraft = { type: 'tool.intent', callId, tool, input, effect, contained, key };
  const result: EventDraft = {
    type: 'tool.result',
    callId,
    tool,
    outcome,
    output,
    ...(egress === undefined ? {} : { egress }),
  };
  if (outcome === 'denied') return [result];
  if (plan.cutOff === 'retry') return [intent, { ...intent, attempt: 2 }, result];
  if (plan.cutOff === undefined) return [intent, result];
  // The offset is not known before the log is laid out; `encodeLog` fills it in.
  return [intent, { type: 'tool.resolve', callId, intent: UNPLACED, resolution: plan.cutOff }, result];
}

/** Stands for the offset of the nearest `tool.intent` before; see `encodeLog`. */
const UNPLACED = Number.MAX_SAFE_INTEGER;

/** Time of event 0 of every built log. */
const START_MS = Date.UTC(2030, 0, 1);

/** Encodes events as lines after a prefix, one second apart. */
export function encodeLog(drafts: readonly EventDraft[], prefix: readonly EncodedLine[] = []): readonly EncodedLine[] {
  const lines = [...prefix];
  let chain = prefix.reduce(chainAfter, CHAIN_START);
  for (const draft of drafts) {
    const time = new Date(START_MS + chain.seq * 1000).toISOString();
    const { line, next } = encodeNext(chain, { draft: placeResolve(draft, lines), time }, sha256);
    lines.push(line);
    chain = next;
  }
  return lines;
}

function placeResolve(draft: EventDraft, lines: readonly EncodedLine[]): EventDraft {
  if (draft.type !== 'tool.resolve' || draft.intent !== UNPLACED) return draft;
  const isIntent = ({ event }: EncodedLine) =>
    event.type === 'tool.intent' && event.callId === draft.callId && event.node === draft.node;
  return { ...draft, intent: lines.findLastIndex(isIntent) };
}

/** What a built `session.fork` may say besides what its place in the log says. */
export interface BuiltFork {
  readonly id: RunId;
  /** Absent: the last `session.end`. */
  readonly at?: number;
  readonly title?: string;
  readonly outstanding?: readonly OutstandingWrite[];
}

/** A child's lines: the parent's through a `session.end`, and the `session.fork`. */
export function buildFork(parent: readonly EncodedLine[], fork: BuiltFork): readonly EncodedLine[] {
  const { id, at = parent.findLastIndex((line) => line.event.type === 'session.end'), ...said } = fork;
  const prefix = parent.slice(0, at + 1);
  const boundary = prefix.at(-1);
  if (boundary?.event.type !== 'session.end') throw new Error(`offset ${at} is no session.end`);
  const names = prefix.map(({ event }) => (event.type.startsWith('session.') ? event.id : undefined));
  const parentId = names.findLast((name) => name !== undefined) as RunId;
  const draft = { type: 'session.fork' as const, id, parent: parentId, offset: at, digest: boundary.digest, cwd: '' };
  return encodeLog([{ ...draft, ...said }], prefix);
}

/** Splits lines into segments; each cut is the offset of a segment's first line. A graph run is cut after event 0. */
export function splitLog(lines: readonly EncodedLine[], cuts: readonly number[] = []): readonly EncodedLine[][] {
  const all = lines[0]?.event.type === 'graph.start' ? [1, ...cuts] : cuts;
  const starts = [0, ...new Set(all.filter((cut) => cut > 0 && cut <= lines.length))].sort((a, b) => a - b);
  return starts.map((start, index) => lines.slice(start, starts[index + 1] ?? lines.length));
}

/** The outlines of a log's segments. */
export function outlineLog(lines: readonly EncodedLine[], cuts: readonly number[] = []): readonly SegmentOutline[] {
  let chain = CHAIN_START;
  return splitLog(lines, cuts).map((segment) => {
    const outliner = createOutliner(chain.seq, chain.prev);
    let position = 0;
    for (const line of segment) {
      const { event, bytes } = line;
      outliner.add({ event, position, bytes: bytes.length });
      position += bytes.length + 1;
      chain = chainAfter(chain, line);
    }
    return outliner.finish(lastDigestOf(chain));
  });
}

/** A log in memory as fork planning reads it. */
export function makeForkSource(lines: readonly EncodedLine[], cuts: readonly number[] = []): ForkSource {
  const segments = splitLog(lines, cuts);
  const outlines = outlineLog(lines, cuts);
  const texts = segments.map((segment) => Buffer.concat(segment.flatMap(({ bytes }) => [bytes, Buffer.from('\n')])));
  return {
    heads: outlines.map(({ head }) => head),
    readDetail: (segment) => required(outlines[segment]).detail,
    readLine: (segment, position, bytes) => {
      return JSON.parse(required(texts[segment]).toString('utf8', position, position + bytes)) as unknown;
    },
  };
}

/** Where `writeLogFolder` cuts segments. */
export interface SegmentOptions {
  /** A segment that has reached this size is sealed and the next one begun; absent: one segment. */
  readonly segmentBytes?: number;
}

/** Writes a run's `log/` and `blobs/` by hand, with the modes the log format wants; returns the segments' names. */
export function writeLogFolder(
  runFolder: string,
  lines: readonly EncodedLine[],
  options: SegmentOptions = {},
): readonly string[] {
  for (const name of ['log', 'blobs']) mkdirSync(join(runFolder, name), { recursive: true, mode: 0o700 });
  const segments = splitLog(lines, cutsOf(lines, options.segmentBytes ?? Number.POSITIVE_INFINITY));
  for (const { digest, bytes } of lines.flatMap((line) => line.payloads)) {
    writeSealed(join(runFolder, 'blobs', digest), bytes);
  }
  let first = 0;
  return segments.map((segment, index) => {
    const name = `${String(first).padStart(12, '0')}.jsonl`;
    const bytes = Buffer.concat(segment.flatMap((line) => [line.bytes, Buffer.from('\n')]));
    if (index < segments.length - 1) writeSealed(join(runFolder, 'log', name), bytes);
    else writeFileSync(join(runFolder, 'log', name), bytes, { mode: 0o600 });
    first += segment.length;
    return name;
  });
}

function cutsOf(lines: readonly EncodedLine[], segmentBytes: number): readonly number[] {
  const cuts: number[] = [];
  let size = 0;
  lines.forEach((line, offset) => {
    if (size >= segmentBytes) {
      cuts.push(offset);
      size = 0;
    }
    size += line.bytes.length + 1;
  });
  return cuts;
}

function writeSealed(path: string, bytes: Uint8Array): void {
  writeFileSync(path, bytes, { mode: 0o600 });
  chmodSync(path, 0o400);
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('no such segment');
  return value;
}
