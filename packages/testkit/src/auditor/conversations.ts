import { dirname, join } from 'node:path';
import type { RunPlace } from './descent.ts';
import { readableType } from './events.ts';
import { statOf } from './files.ts';
import { type AuditedLine, type AuditedSegment, type Fields, sha256Of, shown } from './lines.ts';
import type { Report } from './problem.ts';
import { eventOf, readLines, visitOf } from './runs.ts';

/** What event 0 of a session says of the node its conversation was taken from. */
interface NodeOrigin {
  readonly id: string;
  readonly offset: number;
  readonly digest: string;
  readonly fromNode: string;
  readonly visit: number;
  readonly attempt: number;
  readonly from: number;
  readonly through: number;
}

/** The lines that were taken; `isCut`: a fork at one of their turns left the rest out. */
interface Taken {
  readonly origin: NodeOrigin;
  readonly first: AuditedLine;
  readonly lines: readonly AuditedLine[];
  readonly isCut: boolean;
}

/** Judges a session that was made of the conversation of a node of a graph run (L31 to L33). */
export function judgeConversation(segments: readonly AuditedSegment[], run: RunPlace, report: Report): void {
  const first = segments[0]?.lines[0];
  const { forkedFrom } = first?.event ?? {};
  if (first === undefined || readableType(first) !== 'session.start' || forkedFrom === undefined) return;
  const origin = readOrigin(forkedFrom);
  if (origin === null) {
    report.add('L31', `forkedFrom is ${shown(forkedFrom)}`, first.place);
    return;
  }
  const taken = judgeTaken(segments, { origin, first }, report);
  const folder = join(dirname(run.folder), origin.id, 'log');
  if (taken === null || statOf(folder)?.isDirectory() !== true) return;
  const source = readLines(folder);
  judgePlace(source, taken, report);
  judgeBodies(source, taken, report);
}

function readOrigin(value: unknown): NodeOrigin | null {
  if (typeof value !== 'object' || value === null) return null;
  const { id, offset, digest, fromNode, visit, attempt, from, through } = value as Fields;
  const counts = [offset, visit, attempt, from, through].every((count) => Number.isSafeInteger(count));
  const texts = [id, digest, fromNode].every((text) => typeof text === 'string');
  return counts && texts ? (value as NodeOrigin) : null;
}

/** What can be said without the run. */
function judgeTaken(
  segments: readonly AuditedSegment[],
  { origin, first }: Pick<Taken, 'origin' | 'first'>,
  report: Report,
): Taken | null {
  const { id, through } = origin;
  const all = segments[0]?.lines ?? [];
  const fork = segments.flatMap(({ lines }) => lines).find((line) => readableType(line) === 'session.fork');
  const isCut = fork !== undefined && fork.offset <= through;
  const lines = all.filter(({ offset }) => offset > 0 && offset <= (isCut ? fork.offset - 1 : through));
  const last = (type: string): number => lines.findLastIndex((line) => readableType(line) === type);
  const faults = [
    ...(id === first.event.id ? ['the session names itself as the run it was made of'] : []),
    ...(isCut || lines.at(-1)?.offset === through ? [] : [`event ${through} is not in the first segment`]),
    ...(last('message') >= 0 && last('message') < last('session.end') ? [] : ['what was taken ends within a turn']),
  ];
  for (const fault of faults) report.add('L31', fault, first.place);
  return faults.length === 0 ? { origin, first, lines, isCut } : null;
}

/** What the run says of where the conversation began and ended. */
function judgePlace(source: readonly Buffer[], { origin, first }: Taken, report: Report): void {
  const { id, offset, digest, fromNode, visit, attempt, from } = origin;
  const add = (message: string): void => report.add('L32', message, first.place);
  const line = source[offset];
  if (line === undefined || sha256Of(line) !== digest) add(`digest is not that of ${id} at offset ${offset}`);
  const exit = eventOf(line);
  if (!isExit(exit, fromNode) || exit.attempt !== attempt) add(`${id} does not end attempt ${attempt} at ${offset}`);
  const enter = eventOf(source[from]);
  if (enter.type !== 'node.enter' || enter.node !== fromNode) add(`${id} does not enter ${fromNode} at ${from}`);
  const before = source.slice(from + 1, offset).findIndex((bytes) => isExit(eventOf(bytes), fromNode));
  if (before >= 0) add(`${fromNode} ended before, at offset ${from + 1 + before}`);
  const found = visitOf(source, fromNode);
  if (found !== visit) add(`${fromNode} is visit ${found} of its node, not ${visit}`);
}

/** A node that was interrupted goes on. */
function isExit({ type, node, outcome }: Fields, path: string): boolean {
  return type === 'node.exit' && node === path && outcome !== 'interrupted';
}

const TAKEN = new Set([
  'session.config',
  'message',
  'model.request',
  'model.response',
  'tool.intent',
  'tool.result',
  'tool.resolve',
  'approval.request',
  'approval.answer',
  'context.compact',
  'session.end',
]);

/** Compares what was taken with what the run holds. */
function judgeBodies(source: readonly Buffer[], { origin, lines, isCut, first }: Taken, report: Report): void {
  const { id, from, offset, fromNode } = origin;
  const held = source.slice(from + 1, offset).map(eventOf);
  const expected = held.filter(({ type, node }) => node === fromNode && TAKEN.has(String(type)));
  const found = lines.filter((line) => readableType(line) !== 'workspace.checkpoint');
  const [opened, ...taken] = found;
  if (opened?.offset !== 1 || readableType(opened) !== 'workspace.open') {
    report.add('L33', 'event 1 is not a workspace.open', first.place);
  }
  if (taken.length > expected.length || (taken.length < expected.length && !isCut)) {
    report.add('L33', `${taken.length} events were taken, ${id} has ${expected.length}`, first.place);
    return;
  }
  const differs = taken.find((line, index) => describe(line.event) !== describe(expected[index] ?? {}));
  if (differs !== undefined) report.add('L33', `the event is not that of ${id}`, differs.place);
}

const ELSEWHERE = new Set(['seq', 'prev', 'time', 'node', 'event0', 'acknowledged', 'intent', 'through']);

/** What two events must have in common; a long value may stand in its line in one and be a payload in the other. */
function describe(event: Fields): string {
  const isEnd = event.type === 'session.end';
  const fields = Object.entries(event).filter(([name]) => {
    return !ELSEWHERE.has(name) && !(isEnd && (name === 'checkpoint' || name === 'why'));
  });
  const text = JSON.stringify(fields.sort(([left], [right]) => (left < right ? -1 : 1)));
  return text.includes('"$blob"') ? String(event.type) : text;
}
