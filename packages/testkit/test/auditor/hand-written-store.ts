/** A small store written with plain file calls, so that the auditor is not tested by the code it judges. */
import { createHash } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Fields = Record<string, unknown>;

/** A run before it is written: events without seq, prev and time. */
export interface RunPlan {
  readonly id: string;
  readonly events: Fields[];
  /** Offset of the first event of the second segment. */
  cut: number;
  /** Changes the text of a line after it was made and before it is hashed. */
  editLine: (text: string, event: Fields) => string;
}

export interface StorePlan {
  readonly parent: RunPlan;
  readonly child: RunPlan;
  /** A graph run, and one that was forked from it: its events after those it inherits. */
  readonly run: RunPlan;
  readonly fork: RunPlan;
  /** Changes of the fork's event 0. */
  forkStart: (start: Fields) => void;
  /** A session that was made of the run's agent: its events, and changes of what event 0 says of that. */
  readonly taken: RunPlan;
  takenFrom: (origin: Fields) => void;
}

export const PARENT = '01890000-0000-7000-8000-000000000001';
export const CHILD = '01890000-0000-7000-8000-000000000002';
export const RUN = '01890000-0000-7000-8000-000000000003';
export const FORK = '01890000-0000-7000-8000-000000000004';
export const TAKEN = '01890000-0000-7000-8000-000000000005';
const PAYLOAD = 'p'.repeat(262_145);
export const PAYLOAD_DIGEST = sha256(PAYLOAD);

export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/**
 * A good store: a parent of two turns in two segments, and a child that forked at the first turn and ran one more; a
 * graph run in three segments, and one that was forked from it before its agent and went on; a session that was made of
 * that agent's conversation, and went on.
 */
export function planStore(): StorePlan {
  const parent = planRun(PARENT, [...parentStart(), ...turn('one', 'call-1'), ...turn('two', 'call-2')]);
  parent.cut = parentStart().length + 3;
  const child = planRun(CHILD, [{ type: 'session.fork' }, ...turn('another', 'call-3')]);
  const run = planRun(RUN, [runStart(RUN), ...toolNode('m[0]/a'), ...agentNode(1), ...gateNode(), end()]);
  run.cut = 4;
  const fork = planRun(FORK, [...agentNode(2), end()]);
  const taken = planRun(TAKEN, [sessionStart(TAKEN), opened(), ...takeAgent(), ...shortTurn()]);
  return { parent, child, run, fork, forkStart: () => {}, taken, takenFrom: () => {} };
}

/** Writes a planned store below `home`; the child gets the parent's lines through its first `session.end`. */
export function writeStore(home: string, plan: StorePlan): void {
  mkdirSync(join(home, 'runs'), { mode: 0o700 });
  const { parent, child } = plan;
  const parentLines = encodeLines(parent, []);
  writeRun(home, { id: PARENT, lines: parentLines, cut: parent.cut });
  const boundary = parent.events.findIndex((event) => event.type === 'session.end');
  const prefix = parentLines.slice(0, boundary + 1);
  const digest = sha256(prefix.at(-1) ?? '');
  const fork = child.events.find((event) => event.type === 'session.fork');
  Object.assign(fork ?? {}, { id: CHILD, parent: PARENT, offset: boundary, digest, cwd: '' });
  writeRun(home, { id: CHILD, lines: encodeLines(child, prefix), cut: parent.cut, linkedTo: PARENT });
  writeRuns(home, plan);
  writeTaken(home, plan);
}

/** In one segment, which may still grow. */
function writeTaken(home: string, { run, taken, takenFrom }: StorePlan): void {
  const lines = encodeLines(run, []);
  const placeOf = (type: string): number => run.events.findIndex((event) => event.type === type && event.node === 'b');
  const offset = placeOf('node.exit');
  const forkedFrom = {
    id: RUN,
    offset,
    digest: sha256(lines[offset] ?? ''),
    fromNode: 'b',
    visit: 1,
    attempt: 1,
    from: placeOf('node.enter'),
    through: 1 + takeAgent().length,
  };
  takenFrom(forkedFrom);
  Object.assign(taken.events[0] ?? {}, { forkedFrom });
  const folder = join(home, 'runs', TAKEN);
  for (const name of ['', 'log']) mkdirSync(join(folder, name), { mode: 0o700 });
  writeFileSync(join(folder, 'lock'), '', { mode: 0o600 });
  writeFileSync(join(folder, 'log/000000000000.jsonl'), joinLines(encodeLines(taken, [])), { mode: 0o600 });
}

function writeRuns(home: string, { run, fork, forkStart }: StorePlan): void {
  const lines = encodeLines(run, []);
  writeGraphRun(home, { id: RUN, lines, cut: run.cut });
  const boundary = run.events.findIndex((event) => event.type === 'node.enter' && event.node === 'b');
  const event0 = sha256(lines[0] ?? '');
  const forkedFrom = {
    id: RUN,
    offset: boundary - 1,
    digest: sha256(lines[boundary - 1] ?? ''),
    fromNode: 'b',
    visit: 1,
    graphHash: GRAPH,
    sourceEvent0Digest: event0,
    acknowledgedWrites: [3, 5],
    time: '2030-01-01T00:00:00.000Z',
  };
  const start = { ...runStart(FORK), forkedFrom };
  forkStart(start);
  const [first = ''] = encodeLines({ ...fork, events: [start] }, []);
  Object.assign(fork.events[0] ?? {}, { event0: sha256(first), ...fork.events[0] });
  const inherited = [first, ...lines.slice(1, boundary)];
  writeGraphRun(home, { id: FORK, lines: encodeLines(fork, inherited), cut: run.cut, linkedTo: RUN });
}

/** An index of a segment, in the form of docs/log-format.md, with the segment's present identity. */
export function writeIndex(segment: string, head: Fields, detail: Fields): void {
  const { dev, ino, size, mtimeNs } = statSync(segment, { bigint: true });
  const identity = { format: 3, device: `${dev}`, inode: `${ino}`, size: Number(size), mtimeNs: `${mtimeNs}` };
  const text = `${JSON.stringify({ ...identity, head })}\n${JSON.stringify(detail)}\n`;
  writeFileSync(segment.replace(/jsonl$/, 'idx'), text, { mode: 0o600 });
}

function planRun(id: string, events: Fields[]): RunPlan {
  return { id, events, cut: 0, editLine: (text) => text };
}

function encodeLines(run: RunPlan, prefix: readonly string[]): string[] {
  const lines = [...prefix];
  for (const event of run.events) {
    const prev = lines.length === 0 ? '0'.repeat(64) : sha256(lines.at(-1) ?? '');
    const time = new Date(Date.UTC(2030, 0, 1) + lines.length * 1000).toISOString();
    lines.push(run.editLine(JSON.stringify({ seq: lines.length, prev, time, ...event }), event));
  }
  return lines;
}

/** In three segments: event 0, up to `cut`, and the rest; the second of a fork is its source's. */
function writeGraphRun(
  home: string,
  run: { readonly id: string; readonly lines: readonly string[]; readonly cut: number; readonly linkedTo?: string },
): void {
  const folder = join(home, 'runs', run.id);
  for (const name of ['', 'log']) mkdirSync(join(folder, name), { mode: 0o700 });
  writeFileSync(join(folder, 'lock'), '', { mode: 0o600 });
  const [first, second, third] = [0, 1, run.cut].map((offset) => `log/${String(offset).padStart(12, '0')}.jsonl`);
  writeFileSync(join(folder, first ?? ''), joinLines(run.lines.slice(0, 1)), { mode: 0o400 });
  if (run.linkedTo !== undefined) linkSync(join(home, 'runs', run.linkedTo, second ?? ''), join(folder, second ?? ''));
  else writeFileSync(join(folder, second ?? ''), joinLines(run.lines.slice(1, run.cut)), { mode: 0o400 });
  writeFileSync(join(folder, third ?? ''), joinLines(run.lines.slice(run.cut)), { mode: 0o600 });
}

function writeRun(
  home: string,
  run: { readonly id: string; readonly lines: readonly string[]; readonly cut: number; readonly linkedTo?: string },
): void {
  const folder = join(home, 'runs', run.id);
  for (const name of ['', 'log', 'blobs']) mkdirSync(join(folder, name), { mode: 0o700 });
  writeFileSync(join(folder, 'lock'), '', { mode: 0o600 });
  const second = `${String(run.cut).padStart(12, '0')}.jsonl`;
  const shared = ['log/000000000000.jsonl', `blobs/${PAYLOAD_DIGEST}`];
  if (run.linkedTo !== undefined) {
    for (const name of shared) linkSync(join(home, 'runs', run.linkedTo, name), join(folder, name));
  } else {
    writeFileSync(join(folder, 'log/000000000000.jsonl'), joinLines(run.lines.slice(0, run.cut)));
    writeFileSync(join(folder, 'blobs', PAYLOAD_DIGEST), PAYLOAD);
    for (const name of shared) chmodSync(join(folder, name), 0o400);
  }
  writeFileSync(join(folder, 'log', second), joinLines(run.lines.slice(run.cut)), { mode: 0o600 });
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function sessionStart(id: string): Fields {
  return { type: 'session.start', schema: 1, id, project: null, cwd: '', workspace: 'git', versions: {} };
}

function parentStart(): Fields[] {
  return [
    sessionStart(PARENT),
    {
      type: 'session.config',
      schema: 1,
      model: { name: 'm' },
      tools: [],
      permissions: [],
      sandbox: 'none',
      allowNet: [],
      instructions: [],
    },
  ];
}

/** One turn with one call that writes, a note of an unknown type, and a checkpoint. */
function turn(prompt: string, callId: string): Fields[] {
  const call = { type: 'tool-call', toolCallId: callId, toolName: 'shell', input: { command: 'make' } };
  const says = { type: 'text', text: 'done' };
  const request = { type: 'model.request', digest: sha256(prompt), model: 'm', attempt: 1, purpose: 'turn' };
  const response = { type: 'model.response', model: 'm', attempt: 1, purpose: 'turn' };
  const payload = { $blob: PAYLOAD_DIGEST, bytes: PAYLOAD.length, encoding: 'utf8' };
  return [
    { type: 'message', message: { role: 'user', content: prompt } },
    request,
    { ...response, message: { role: 'assistant', content: [call] } },
    { type: 'tool.intent', callId, tool: 'shell', input: call.input, effect: 'write', contained: true, key: 'k' },
    { type: 'tool.result', callId, tool: 'shell', outcome: 'ok', output: { type: 'text', value: payload } },
    { type: 'x.note', about: { $literal: { $base64: 'mine' } }, raw: { $base64: 'AAE=' } },
    request,
    { ...response, message: { role: 'assistant', content: [says] } },
    {
      type: 'workspace.checkpoint',
      id: `cp-${callId}`,
      files: 1,
      bytes: 1,
      head: 'refs/heads/main',
      commit: null,
      operation: null,
      leftOut: [],
      changed: {},
    },
    { type: 'session.end', reason: 'completed', checkpoint: `cp-${callId}` },
  ];
}

const GRAPH = sha256('a document');

function runStart(id: string): Fields {
  const start = { type: 'graph.start', schema: 1, id, graph: GRAPH, input: null, project: null, cwd: '/p' };
  return { ...start, workspace: 'git', versions: {} };
}

function end(): Fields {
  return { type: 'run.complete', output: null };
}

function enter(node: string, attempt = 1): Fields {
  return { type: 'node.enter', node, attempt, input: {}, inputDigest: sha256('{}') };
}

function exit(node: string, attempt = 1): Fields {
  return { type: 'node.exit', node, attempt, outcome: 'ok', output: null };
}

function checkpoint(node: string, id: string): Fields {
  const rest = { files: 1, bytes: 1, head: 'refs/heads/main', commit: null, operation: null, leftOut: [], changed: {} };
  return { type: 'workspace.checkpoint', node, id, ...rest };
}

/** A call that was cut off by a crash and made again. */
function toolNode(node: string): Fields[] {
  const intent = {
    type: 'tool.intent',
    node,
    callId: 'call',
    tool: 'shell',
    input: {},
    effect: 'write',
    contained: true,
  };
  const result = { type: 'tool.result', node, callId: 'call', tool: 'shell', outcome: 'ok', output: {} };
  const again = { ...intent, key: 'k', attempt: 2 };
  return [enter(node), { ...intent, key: 'k' }, enter(node, 2), again, result, checkpoint(node, 'cp-a'), exit(node, 2)];
}

/** The turn of an agent that calls nothing. */
function agentNode(attempt: number): Fields[] {
  const node = 'b';
  const model = { node, model: 'm', attempt: 1, purpose: 'turn' };
  return [
    enter(node, attempt),
    { type: 'message', node, message: { role: 'user', content: 'go' } },
    { type: 'model.request', digest: sha256('go'), ...model },
    { type: 'model.response', ...model, message: { role: 'assistant', content: [] } },
    checkpoint(node, 'cp-b'),
    { type: 'session.end', node, reason: 'completed', checkpoint: 'cp-b' },
    exit(node, attempt),
  ];
}

function opened(): Fields {
  const rest = { base: null, branch: null, carried: [], copied: [], leftOut: [], dirty: {} };
  return { type: 'workspace.open', kind: 'git', ...rest };
}

/** What a session says of that turn. */
function takeAgent(): Fields[] {
  const events = agentNode(1).slice(1, -1);
  return events.map(({ node: _, ...event }) => event);
}

/** One turn that calls nothing and keeps no files. */
function shortTurn(): Fields[] {
  const model = { model: 'm', attempt: 1, purpose: 'turn' };
  return [
    { type: 'message', message: { role: 'user', content: 'and now' } },
    { type: 'model.request', digest: sha256('and now'), ...model },
    { type: 'model.response', ...model, message: { role: 'assistant', content: [] } },
    { type: 'session.end', reason: 'completed', checkpoint: 'none', why: 'w' },
  ];
}

function gateNode(): Fields[] {
  return [
    enter('g'),
    { type: 'gate.open', node: 'g', question: '?', answerSchema: {} },
    { type: 'gate.answer', node: 'g', gate: 16, answer: true, by: 'person' },
    exit('g'),
  ];
}
