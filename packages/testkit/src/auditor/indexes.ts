import type { BigIntStats } from 'node:fs';
import { readFileSync } from 'node:fs';
import { readableType } from './events.ts';
import { statOf } from './files.ts';
import { type AuditedSegment, type Fields, shown } from './lines.ts';
import type { Report } from './problem.ts';

/**
 * Judges a segment's index (L21): one that will be believed, because it names the identity the segment has now, must say
 * what the segment says. One that will not be believed is no error (L22).
 */
export function judgeIndex(segment: AuditedSegment, report: Report): void {
  const path = segment.file.path.replace(/\.jsonl$/, '.idx');
  if (statOf(path)?.isFile() !== true) return;
  const [first, second] = readFileSync(path, 'utf8').split('\n');
  const header = parseFields(first);
  const detail = parseFields(second);
  if (header === null || detail === null || !isBelieved(header, segment.file.stat)) return;
  const head = typeof header.head === 'object' && header.head !== null ? (header.head as Fields) : {};
  const { name } = segment.file;
  const last = segment.lines.at(-1);
  const facts: readonly (readonly [string, unknown, unknown])[] = [
    ['first', head.first, segment.file.first],
    ['count', head.count, segment.count],
    ['bytes', head.bytes, Number(segment.file.stat.size)],
    ['digest', head.digest, last?.digest],
    ['prev', head.prev, segment.lines[0]?.event.prev],
  ];
  for (const [what, says, is] of facts) {
    if (says !== is) report.add('L21', `its index says ${what} ${shown(says)}, not ${shown(is)}`, { segment: name });
  }
  judgeBoundaries(segment, detail, report);
}

function judgeBoundaries(segment: AuditedSegment, detail: Fields, report: Report): void {
  const listed = Array.isArray(detail.boundaries) ? (detail.boundaries as readonly Fields[]) : [];
  const says = listed.map(({ offset, position, bytes }) => [offset, position, bytes]);
  const is = segment.lines
    // The turn of an agent in a graph run is no boundary.
    .filter((line) => readableType(line) === 'session.end' && line.event.node === undefined)
    .map((line) => [line.offset, line.place.byte, line.bytes.length]);
  if (JSON.stringify(says) === JSON.stringify(is)) return;
  report.add('L21', `its index lists the boundaries ${shown(says)}, not ${shown(is)}`, { segment: segment.file.name });
}

function isBelieved(header: Fields, stat: BigIntStats): boolean {
  return (
    header.format === 3 &&
    header.device === String(stat.dev) &&
    header.inode === String(stat.ino) &&
    header.size === Number(stat.size) &&
    header.mtimeNs === String(stat.mtimeNs)
  );
}

function parseFields(text: string | undefined): Fields | null {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
  } catch {
    return null;
  }
}
