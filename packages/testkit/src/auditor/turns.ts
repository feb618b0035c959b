import { callsOf, readableType } from './events.ts';
import { type AuditedLine, shown } from './lines.ts';
import type { Report } from './problem.ts';

interface Call {
  readonly id: string;
  /** Key of its first intent; null before that. */
  key: unknown;
  intents: number;
}

interface State {
  open: boolean;
  /** Calls of the open turn without a result, in order. */
  calls: Call[];
  before: AuditedLine | null;
  /** Names of the tools there are, by the last `session.config`. */
  tools: ReadonlySet<unknown>;
  /** Idempotency keys of messages since the last `session.fork`. */
  keys: Set<unknown>;
}

/** Two starts are in it because L15 judges those. */
const BETWEEN_TURNS = new Set([
  'session.start',
  'graph.start',
  'session.config',
  'workspace.open',
  'workspace.checkpoint',
  'workspace.restore',
  'session.title',
  'session.fork',
  'log.repair',
  'context.compact',
]);

/** Judges the turns of a log and the calls in them (L17 to L20). */
export function judgeTurns(lines: readonly AuditedLine[], report: Report): void {
  const state: State = { open: false, calls: [], before: null, tools: new Set(), keys: new Set() };
  for (const line of lines) {
    const type = readableType(line);
    if (type !== null) judgeLine(state, { type, line }, report);
    state.before = line;
  }
}

interface TypedLine {
  readonly type: string;
  readonly line: AuditedLine;
}

function judgeLine(state: State, typed: TypedLine, report: Report): void {
  const { type, line } = typed;
  if (type === 'session.config') state.tools = toolNamesOf(line);
  if (type === 'session.fork') state.keys = new Set();
  if (type === 'message') {
    openTurn(state, line, report);
    return;
  }
  if (type === 'session.end') {
    endTurn(state, line, report);
    return;
  }
  if (!state.open) {
    if (!mayStandBetween(typed)) report.add('L17', `${type} outside a turn`, line.place);
    return;
  }
  if (type === 'session.fork') report.add('L17', 'session.fork within a turn', line.place);
  else if (type === 'model.request') judgeRequest(state, line, report);
  else if (type === 'model.response') nameCalls(state, line);
  else if (type === 'tool.intent') judgeIntent(state, line, report);
  else if (type === 'tool.result') judgeResult(state, line, report);
}

function mayStandBetween({ type, line }: TypedLine): boolean {
  if (BETWEEN_TURNS.has(type)) return true;
  const { purpose } = line.event;
  return (type === 'model.request' || type === 'model.response') && (purpose === 'compact' || purpose === 'title');
}

function openTurn(state: State, line: AuditedLine, report: Report): void {
  if (state.open) report.add('L17', 'a message within a turn', line.place);
  const { key } = line.event;
  if (state.keys.has(key)) report.add('L17', `a second message with the key ${shown(key)}`, line.place);
  if (key !== undefined) state.keys.add(key);
  state.open = true;
  state.calls = [];
}

function endTurn(state: State, line: AuditedLine, report: Report): void {
  if (!state.open) report.add('L17', 'session.end without a turn', line.place);
  for (const call of state.calls) report.add('L19', `call ${shown(call.id)} has no result`, line.place);
  state.open = false;
  state.calls = [];
  judgeCheckpoint(state.before, line, report);
}

function judgeCheckpoint(before: AuditedLine | null, line: AuditedLine, report: Report): void {
  const { checkpoint, why } = line.event;
  if (checkpoint === 'none') {
    if (typeof why !== 'string' || why === '') report.add('L18', 'no checkpoint and no reason why', line.place);
    return;
  }
  if (before !== null && readableType(before) === 'workspace.checkpoint' && before.event.id === checkpoint) return;
  report.add('L18', `the event before is not the workspace.checkpoint ${shown(checkpoint)}`, line.place);
}

function judgeRequest(state: State, line: AuditedLine, report: Report): void {
  const waiting = state.calls[0];
  if (line.event.purpose !== 'turn' || waiting === undefined) return;
  report.add('L19', `a request before the result of call ${shown(waiting.id)}`, line.place);
}

function nameCalls(state: State, line: AuditedLine): void {
  if (line.event.purpose !== 'turn') return;
  for (const id of callsOf(line.event.message)) state.calls.push({ id, key: null, intents: 0 });
}

function judgeIntent(state: State, line: AuditedLine, report: Report): void {
  const { callId, key } = line.event;
  const call = state.calls.find((candidate) => candidate.id === callId);
  if (call === undefined) {
    report.add('L19', `an intent of no waiting call: ${shown(callId)}`, line.place);
    return;
  }
  if (call.intents > 0 && call.key !== key) report.add('L20', `call ${shown(callId)} changes its key`, line.place);
  call.key = key;
  call.intents += 1;
}

function judgeResult(state: State, line: AuditedLine, report: Report): void {
  const { callId, tool, outcome, receipt } = line.event;
  const index = state.calls.findIndex((candidate) => candidate.id === callId);
  const call = state.calls[index];
  if (call === undefined) {
    report.add('L19', `a result of no waiting call: ${shown(callId)}`, line.place);
    return;
  }
  state.calls.splice(index, 1);
  const unknownTool = outcome === 'error' && !state.tools.has(tool);
  const needsIntent = outcome !== 'denied' && outcome !== 'interrupted' && receipt === undefined && !unknownTool;
  if (needsIntent && call.intents === 0) report.add('L19', `call ${shown(callId)} has no intent`, line.place);
}

function toolNamesOf(line: AuditedLine): ReadonlySet<unknown> {
  const { tools } = line.event;
  if (!Array.isArray(tools)) return new Set();
  return new Set(tools.map((tool: unknown) => (tool as { readonly name?: unknown } | null)?.name));
}
