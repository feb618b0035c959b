import { readableType } from './events.ts';
import { type AuditedLine, shown } from './lines.ts';
import type { Report } from './problem.ts';

/** How a node stands at one place of the walk. */
interface Node {
  /** Of its last `node.enter`. */
  attempt: number;
  /** Entered, and not left. */
  open: boolean;
  finished: boolean;
  /** Checkpoints taken since it was last entered. */
  checkpoints: Set<unknown>;
  /** Calls without a result: their key, until a person says that a call did not happen. */
  readonly calls: Map<unknown, unknown>;
  /** Those of which a person has said what happened. */
  readonly settled: Set<unknown>;
  /** Offsets of its `gate.open`s. */
  readonly gates: Set<unknown>;
}

type Nodes = Map<string, Node>;

const STEP = /^[A-Za-z_][A-Za-z0-9_-]{0,63}(\[(0|[1-9]\d*)\]|#[1-9]\d*)?$/;
const OF_A_NODE = /^(node\.(enter|exit|skip)|branch\.take|map\.(open|item)|fold\.pass|gate\.(open|answer)|tool\.\w+)$/;

/** Judges the events of nodes of a graph run, and their calls (L20, L27 to L30). */
export function judgeWalk(lines: readonly AuditedLine[], report: Report): void {
  const nodes: Nodes = new Map();
  for (const line of lines) {
    const type = readableType(line);
    const { node: path, event0 } = line.event;
    if (event0 !== undefined) cutCalls(nodes);
    if (path === undefined) {
      if (type !== null && OF_A_NODE.test(type)) report.add('L27', `${type} names no node`, line.place);
    } else if (typeof path !== 'string' || !isPath(path)) report.add('L27', `${shown(path)} is no path`, line.place);
    else if (type !== null) judgeEvent(nodeAt(nodes, path), { type, line }, report);
  }
}

/** A call that a fork cut off is its source's; one that a person has spoken of goes on. */
function cutCalls(nodes: Nodes): void {
  for (const { calls, settled } of nodes.values()) {
    for (const callId of calls.keys()) if (!settled.has(callId)) calls.delete(callId);
  }
}

function isPath(path: string): boolean {
  const steps = path.split('/');
  return steps.every((step, index) => STEP.test(step) && /[\]#]/.test(step) === index < steps.length - 1);
}

function nodeAt(nodes: Nodes, path: string): Node {
  const known = nodes.get(path);
  if (known !== undefined) return known;
  const node: Node = {
    attempt: 0,
    open: false,
    finished: false,
    checkpoints: new Set(),
    calls: new Map(),
    settled: new Set(),
    gates: new Set(),
  };
  nodes.set(path, node);
  return node;
}

interface TypedLine {
  readonly type: string;
  readonly line: AuditedLine;
}

function judgeEvent(node: Node, { type, line }: TypedLine, report: Report): void {
  const { event } = line;
  if (type === 'node.enter') enterNode(node, line, report);
  else if (type === 'node.exit') exitNode(node, line, report);
  else if (type === 'workspace.checkpoint') node.checkpoints.add(event.id);
  else if (type === 'session.end') judgeEnd(node, line, report);
  else if (type === 'tool.intent') beginCall(node, line, report);
  else if (type === 'tool.result') endCall(node, line, report);
  else if (type === 'tool.resolve') resolveCall(node, line);
  else if (type === 'gate.open') node.gates.add(line.offset);
  else if (type === 'gate.answer' && !node.gates.has(event.gate)) {
    report.add('L29', `an answer to a gate.open at ${shown(event.gate)}, where its node has none`, line.place);
  }
}

function enterNode(node: Node, line: AuditedLine, report: Report): void {
  const { attempt } = line.event;
  if (node.finished) report.add('L28', 'a finished node is entered again', line.place);
  if (!(Number.isSafeInteger(attempt) && (attempt as number) > node.attempt)) {
    report.add('L28', `attempt ${shown(attempt)} comes after attempt ${node.attempt}`, line.place);
  }
  Object.assign(node, { attempt: Number(attempt), open: true, checkpoints: new Set() });
}

function exitNode(node: Node, line: AuditedLine, report: Report): void {
  const { attempt, outcome } = line.event;
  if (!node.open) report.add('L28', 'a node is left that is not at work', line.place);
  else if (attempt !== node.attempt) {
    report.add('L28', `attempt ${shown(attempt)} ends, but ${node.attempt} was entered`, line.place);
  }
  node.open = false;
  node.finished ||= outcome === 'ok';
  node.calls.clear();
}

function judgeEnd(node: Node, line: AuditedLine, report: Report): void {
  const { checkpoint, why } = line.event;
  if (checkpoint === 'none') {
    if (typeof why !== 'string' || why === '') report.add('L30', 'no checkpoint and no reason why', line.place);
  } else if (!node.checkpoints.has(checkpoint)) {
    report.add('L30', `the node took no checkpoint ${shown(checkpoint)}`, line.place);
  }
}

function beginCall(node: Node, line: AuditedLine, report: Report): void {
  const { callId, key } = line.event;
  if (!node.open) report.add('L29', `call ${shown(callId)} of a node that is not at work`, line.place);
  const known = node.calls.get(callId);
  if (known !== undefined && known !== key) report.add('L20', `call ${shown(callId)} changes its key`, line.place);
  node.calls.set(callId, key);
  node.settled.delete(callId);
}

function endCall(node: Node, line: AuditedLine, report: Report): void {
  const { callId, outcome, receipt } = line.event;
  const needsIntent = outcome !== 'denied' && outcome !== 'interrupted' && outcome !== 'error' && receipt === undefined;
  if (!node.calls.delete(callId) && needsIntent) {
    report.add('L29', `a result of no waiting call: ${shown(callId)}`, line.place);
  }
}

/** A call that did not happen may be made under another key. */
function resolveCall(node: Node, line: AuditedLine): void {
  const { callId, resolution } = line.event;
  node.settled.add(callId);
  if (resolution === 'did_not_happen' && node.calls.has(callId)) node.calls.set(callId, undefined);
}
