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
}

export const PARENT = '01890000-0000-7000-8000-000000000001';
export const CHILD = '01890000-0000-7000-8000-000000000002';
const PAYLOAD = 'p'.repeat(262_145);
export const PAYLOAD_DIGEST = sha256(PAYLOAD);

export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** A good store: a parent of two turns in two segments, and a child that forked at the first turn and ran one more. */
export function planStore(): StorePlan {
  const parent = planRun(PARENT, [...parentStart(), ...turn('one', 'call-1'), ...turn('two', 'call-2')]);
  parent.cut = parentStart().length + 3;
  return { parent, child: planRun(CHILD, [{ type: 'session.fork' }, ...turn('another', 'call-3')]) };
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
}

/** An index of a segment, in the form of docs/log-format.md, with the segment's present identity. */
export function writeIndex(segment: string, head: Fields, detail: Fields): void {
  const { dev, ino, size, mtimeNs } = statSync(segment, { bigint: true });
  const identity = { format: 2, device: `${dev}`, inode: `${ino}`, size: Number(size), mtimeNs: `${mtimeNs}` };
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

function parentStart(): Fields[] {
  return [
    { type: 'session.start', schema: 1, id: PARENT, project: null, cwd: '', workspace: 'git', versions: {} },
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
