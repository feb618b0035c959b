import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RunPlace } from './descent.ts';
import { readableType } from './events.ts';
import { statOf } from './files.ts';
import { type AuditedLine, type AuditedSegment, type Fields, sha256Of, shown } from './lines.ts';
import { type Origin, readOrigin, startsRun } from './origin.ts';
import type { Report } from './problem.ts';

/** Judges where event 0 of a graph run lies, and what a forked run says of its source (L23, L24, L26). */
export function judgeRun(segments: readonly AuditedSegment[], run: RunPlace, report: Report): void {
  const lines = segments.flatMap((segment) => segment.lines);
  const [first] = lines;
  const crowd = segments[0]?.lines[1];
  if (crowd !== undefined) report.add('L23', 'event 0 is not alone in its segment', crowd.place);
  const origin = readOrigin(first);
  if (first === undefined || origin === undefined) return;
  if (origin === null) {
    report.add('L24', `forkedFrom is ${shown(first.event.forkedFrom)}`, first.place);
    return;
  }
  judgeOrigin(origin, { first, lines }, report);
  judgeSource(origin, { first, lines, run }, report);
}

/** Judges `event0` in a log of either kind (L25). */
export function judgeEvent0(lines: readonly AuditedLine[], report: Report): void {
  const [first] = lines;
  const origin = readOrigin(first);
  const own = origin === undefined || origin === null ? null : origin.offset + 1;
  for (const line of lines) {
    const { event0 } = line.event;
    if (line.offset === own) {
      if (event0 !== first?.digest) {
        report.add('L25', `event0 is ${shown(event0)}, but event 0 has ${first?.digest}`, line.place);
      }
    } else if (event0 !== undefined && (own === null || line.offset === 0 || line.offset > own)) {
      report.add('L25', 'an event0 where there is none', line.place);
    }
  }
}

interface Fork {
  readonly first: AuditedLine;
  readonly lines: readonly AuditedLine[];
}

/** What can be said without the source. */
function judgeOrigin(origin: Origin, { first, lines }: Fork, report: Report): void {
  const add = (rule: 'L24' | 'L26', message: string): void => report.add(rule, message, first.place);
  const last = lines.find((line) => line.offset === origin.offset);
  if (last === undefined) add('L24', `offset ${origin.offset} is not in the log`);
  else if (origin.offset > 0 && last.digest !== origin.digest) add('L24', 'digest is not that of the line at offset');
  const { graph } = first.event;
  if (graph !== origin.graphHash)
    add('L26', `graphHash is ${shown(origin.graphHash)}, the run's graph ${shown(graph)}`);
  const writes = origin.acknowledgedWrites;
  const rises = writes.every((offset, index) => index === 0 || Number(offset) > Number(writes[index - 1]));
  if (!rises) add('L26', `acknowledgedWrites does not rise: ${shown(writes)}`);
}

/** What the source's own log says, where it is still there. */
function judgeSource(origin: Origin, fork: Fork & { readonly run: RunPlace }, report: Report): void {
  const { first, lines, run } = fork;
  const add = (rule: 'L24' | 'L26', message: string): void => report.add(rule, message, first.place);
  const folder = join(dirname(run.folder), origin.id, 'log');
  if (origin.id === run.name) add('L24', 'the run names itself as its source');
  if (origin.id === run.name || statOf(folder)?.isDirectory() !== true) return;
  const source = readLines(folder);
  const own = lines.filter(({ offset }) => offset > 0 && offset <= origin.offset);
  const differs = own.find(({ offset, bytes }) => !source[offset]?.equals(bytes));
  if (differs !== undefined) report.add('L24', `the line is not that of ${origin.id}`, differs.place);
  const line = source[origin.offset];
  if (line === undefined || sha256Of(line) !== origin.digest) {
    add('L24', `digest is not that of ${origin.id} at offset ${origin.offset}`);
  }
  const start = eventOf(source[0]);
  const inherited = (start.forkedFrom as Fields | undefined)?.sourceEvent0Digest;
  const began = inherited ?? sha256Of(source[0] ?? Buffer.alloc(0));
  if (began !== origin.sourceEvent0Digest) add('L24', `sourceEvent0Digest is not ${shown(began)}`);
  const { type, node } = eventOf(source[origin.offset + 1]);
  if (type !== 'node.enter' || node !== origin.fromNode) {
    add('L26', `${origin.id} does not enter ${origin.fromNode} at ${origin.offset + 1}`);
  }
  const visit = visitOf(source, origin.fromNode);
  if (visit !== origin.visit) add('L26', `${origin.fromNode} is visit ${visit} of its node, not ${origin.visit}`);
}

/** Which of the places that a node was entered at a path is, in the order of the log; 0 when it is none. */
export function visitOf(source: readonly Buffer[], path: string): number {
  const idOf = (text: string): string | undefined => text.split('/').at(-1);
  const places = new Set<string>();
  for (const line of source) {
    const { type, node } = eventOf(line);
    if (type === 'node.enter' && typeof node === 'string' && idOf(node) === idOf(path)) places.add(node);
  }
  return [...places].indexOf(path) + 1;
}

/** The complete lines of a log, by offset. */
export function readLines(folder: string): readonly Buffer[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl') && statOf(join(folder, name))?.isFile());
  const bytes = Buffer.concat(names.sort().map((name) => readFileSync(join(folder, name))));
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

/** The event of a line; without fields where it holds none. */
export function eventOf(line: Buffer | undefined): Fields {
  try {
    const value: unknown = JSON.parse((line ?? Buffer.alloc(0)).toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Fields) : {};
  } catch {
    return {};
  }
}

/** Judges that a graph run starts once, and is named by its event 0 alone (L8, L15). */
export function judgeRunIdentity(lines: readonly AuditedLine[], name: string, report: Report): void {
  for (const line of lines) {
    const type = readableType(line);
    const { schema } = line.event;
    const carries = type === 'graph.start' || line.event.type === 'session.config';
    if (carries && !Number.isSafeInteger(schema)) {
      report.add('L8', `${String(line.event.type)} has the schema ${shown(schema)}`, line.place);
    }
    if (line.offset > 0 && (type === 'graph.start' || type === 'session.start' || type === 'session.fork')) {
      report.add('L15', `a ${type} in a graph run`, line.place);
    }
  }
  const [first] = lines;
  if (startsRun(first) && first?.event.id !== name)
    report.add('L15', `the log names the run ${shown(first?.event.id)}`);
}
