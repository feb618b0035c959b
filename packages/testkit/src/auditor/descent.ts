import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readableType } from './events.ts';
import { statOf } from './files.ts';
import { type AuditedLine, shown } from './lines.ts';
import type { Report } from './problem.ts';

const RUN_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Judges what a log says of its own identity and descent (L8, L15, L16). */
export function judgeDescent(lines: readonly AuditedLine[], run: RunPlace, report: Report): void {
  const first = lines.find((line) => line.offset === 0);
  let id: unknown = first?.event.id;
  if (first === undefined || readableType(first) !== 'session.start') {
    report.add('L15', 'event 0 is neither a session.start nor a graph.start', first?.place ?? {});
  }
  lines.forEach((line, index) => {
    judgeSchema(line, report);
    const type = readableType(line);
    if (type === 'session.start' && line.offset > 0) report.add('L15', 'a second session.start', line.place);
    if (type === 'graph.start') report.add('L15', 'a graph.start in a session', line.place);
    if (type !== 'session.fork') return;
    judgeFork({ line, before: lines[index - 1], id, run }, report);
    comparePrefix(line, run, report);
    id = line.event.id;
  });
  if (typeof id !== 'string' || !RUN_ID.test(id)) report.add('L15', `the log names the run ${shown(id)}`);
  else if (id !== run.name) report.add('L15', `the log names the run ${id}`);
}

/** Where a run lies. */
export interface RunPlace {
  readonly folder: string;
  readonly name: string;
}

function judgeSchema(line: AuditedLine, report: Report): void {
  const { type, schema } = line.event;
  if (type !== 'session.start' && type !== 'session.config') return;
  if (!Number.isSafeInteger(schema)) report.add('L8', `${type} has the schema ${shown(schema)}`, line.place);
}

function judgeFork(
  found: {
    readonly line: AuditedLine;
    readonly before: AuditedLine | undefined;
    readonly id: unknown;
    readonly run: RunPlace;
  },
  report: Report,
): void {
  const { line, before, id, run } = found;
  const { offset, digest, parent } = line.event;
  if (before === undefined || readableType(before) !== 'session.end') {
    report.add('L16', 'the event before a session.fork is not a session.end', line.place);
  }
  if (offset !== line.offset - 1) report.add('L16', `offset is ${shown(offset)}, not ${line.offset - 1}`, line.place);
  if (digest !== before?.digest) report.add('L16', 'digest is not that of the line before', line.place);
  // A run forked at a turn it inherited is named by no line before: its own lines are compared where it is there.
  const inherited = typeof parent === 'string' && RUN_ID.test(parent) && parent !== run.name;
  if (parent !== id && !inherited)
    report.add('L16', `parent is ${shown(parent)}, but the lines before name ${shown(id)}`, line.place);
}

/** Compares what lies before a fork with the parent's bytes, where the parent is still there. */
function comparePrefix(fork: AuditedLine, run: RunPlace, report: Report): void {
  const { parent } = fork.event;
  if (typeof parent !== 'string' || !RUN_ID.test(parent) || parent === run.name) return;
  const folder = join(dirname(run.folder), parent, 'log');
  if (statOf(folder)?.isDirectory() !== true) return;
  const own = readPrefix(join(run.folder, 'log'), fork.position);
  if (own.equals(readPrefix(folder, fork.position))) return;
  report.add('L16', `the lines before are not those of ${parent}, byte for byte`, fork.place);
}

function readPrefix(folder: string, length: number): Buffer {
  const parts: Buffer[] = [];
  let total = 0;
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (!name.endsWith('.jsonl') || total >= length || statOf(path)?.isFile() !== true) continue;
    const bytes = readFileSync(path);
    parts.push(bytes);
    total += bytes.length;
  }
  return Buffer.concat(parts).subarray(0, length);
}
