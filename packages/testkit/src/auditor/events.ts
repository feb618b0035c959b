import type { AuditedLine, Fields } from './lines.ts';

/** The required fields of each event type, as the table of docs/log-format.md lists them. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  'session.start': ['schema', 'id', 'project', 'cwd', 'workspace', 'versions'],
  'session.config': ['schema', 'model', 'tools', 'permissions', 'sandbox', 'allowNet', 'instructions'],
  'workspace.open': ['kind', 'base', 'branch', 'carried', 'copied', 'leftOut', 'dirty'],
  'workspace.checkpoint': ['id', 'files', 'bytes', 'head', 'commit', 'operation', 'leftOut', 'changed'],
  'workspace.restore': ['checkpoint', 'outcome', 'carried'],
  message: ['message'],
  'model.request': ['digest', 'model', 'attempt', 'purpose'],
  'model.response': ['model', 'attempt', 'purpose'],
  'tool.intent': ['callId', 'tool', 'input', 'effect', 'contained', 'key'],
  'tool.result': ['callId', 'tool', 'outcome', 'output'],
  'tool.resolve': ['callId', 'intent', 'resolution'],
  'approval.request': ['callId', 'tool', 'input', 'reason'],
  'approval.answer': ['callId', 'answer', 'by', 'scope'],
  'context.compact': ['summary', 'through'],
  'session.title': ['title'],
  'log.repair': ['kept', 'droppedBytes'],
  'session.end': ['reason', 'checkpoint'],
  'session.fork': ['id', 'parent', 'offset', 'digest', 'cwd'],
  'graph.start': ['schema', 'id', 'graph', 'input', 'project', 'cwd', 'workspace', 'versions'],
  'node.enter': ['attempt', 'input', 'inputDigest'],
  'node.exit': ['attempt', 'outcome'],
  'node.skip': ['reason'],
  'branch.take': ['take', 'by'],
  'map.open': ['count'],
  'map.item': ['index', 'outcome'],
  'fold.pass': ['pass', 'output', 'done'],
  'gate.open': ['question', 'answerSchema'],
  'gate.answer': ['gate', 'answer', 'by'],
  now: ['value'],
  random: ['value'],
  'run.complete': ['output'],
  'run.fail': ['error'],
  'run.abandon': [],
};

/** The type of a line a reader takes into account; null where L7 lets readers skip it. */
export function readableType(line: AuditedLine): string | null {
  const { type } = line.event;
  if (typeof type !== 'string' || !Object.hasOwn(REQUIRED, type)) return null;
  const required = REQUIRED[type] ?? [];
  return required.every((name) => Object.hasOwn(line.event, name)) ? type : null;
}

/** Ids of the calls an assistant message names, in order. */
export function callsOf(message: unknown): readonly string[] {
  const content = typeof message === 'object' && message !== null ? (message as Fields).content : undefined;
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown) => {
    if (typeof part !== 'object' || part === null) return [];
    const { type, toolCallId, toolName } = part as Fields;
    return type === 'tool-call' && typeof toolCallId === 'string' && typeof toolName === 'string' ? [toolCallId] : [];
  });
}
