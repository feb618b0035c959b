import { type BigIntStats, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from './problem.ts';

/** One segment file as it lies on the disk. */
export interface SegmentFile {
  readonly name: string;
  readonly path: string;
  /** The offset its name says. */
  readonly first: number;
  readonly last: boolean;
  readonly sealed: boolean;
  readonly stat: BigIntStats;
}

const SEGMENT = /^(\d{12})\.jsonl$/;
const INDEX = /^\d{12}\.idx$/;
const PAYLOAD = /^[0-9a-f]{64}$/;
const LEFTOVER = /\.tmp$|\.tmp[.-]|^\.tmp/;

/** Lists a run's segments in order and judges names, kinds, modes and links of its files (L1, L2, L3). */
export function listSegments(runFolder: string, report: Report): readonly SegmentFile[] {
  judgeFolder(runFolder, 'the run', report);
  for (const name of readdirSync(runFolder)) {
    if (LEFTOVER.test(name)) report.add('L1', `${name} is a leftover of an interrupted write`);
    if (name === 'lock') judgeFile(join(runFolder, name), { name, mode: 0o600, linked: false }, report);
  }
  judgePayloadFolder(join(runFolder, 'blobs'), report);
  return listLogFolder(join(runFolder, 'log'), report);
}

/** The status of a path itself, or null when there is nothing. */
export function statOf(path: string): BigIntStats | null {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
}

/** Permission bits of a status. */
export function modeOf(stat: BigIntStats): number {
  return Number(stat.mode & 0o7777n);
}

function listLogFolder(folder: string, report: Report): readonly SegmentFile[] {
  if (!judgeFolder(folder, 'log/', report)) return [];
  const names = readdirSync(folder).sort();
  const segments = names.filter((name) => SEGMENT.test(name));
  for (const name of names) {
    if (INDEX.test(name)) judgeFile(join(folder, name), { name: `log/${name}`, mode: 0o600, linked: true }, report);
    else if (!SEGMENT.test(name)) report.add('L1', `log/${name} is neither a segment nor an index`);
  }
  if (segments[0] !== '000000000000.jsonl') report.add('L1', `the first segment is ${segments[0] ?? 'missing'}`);
  return segments.flatMap((name, index) => {
    const path = join(folder, name);
    const stat = statOf(path);
    if (stat === null) return [];
    const sealed = modeOf(stat) === 0o400;
    const last = index === segments.length - 1;
    judgeSegment({ name, stat, sealed, last }, report);
    return stat.isFile() ? [{ name, path, first: Number(name.slice(0, 12)), last, sealed, stat }] : [];
  });
}

function judgeSegment(segment: Pick<SegmentFile, 'name' | 'stat' | 'sealed' | 'last'>, report: Report): void {
  const { name, stat, sealed, last } = segment;
  if (!stat.isFile()) {
    report.add('L3', 'is not a regular file', { segment: name });
    return;
  }
  if (!last && !sealed) report.add('L2', `is not the last and not sealed (mode ${octal(stat)})`, { segment: name });
  else if (last && !sealed && modeOf(stat) !== 0o600) report.add('L3', `has mode ${octal(stat)}`, { segment: name });
  if (!last && stat.size === 0n) report.add('L2', 'is empty and not the last', { segment: name });
  if (last && !sealed && stat.nlink !== 1n) report.add('L3', 'is not sealed but linked elsewhere', { segment: name });
}

function judgePayloadFolder(folder: string, report: Report): void {
  if (statOf(folder) === null || !judgeFolder(folder, 'blobs/', report)) return;
  for (const name of readdirSync(folder)) {
    if (PAYLOAD.test(name)) judgeFile(join(folder, name), { name: `blobs/${name}`, mode: 0o400, linked: true }, report);
    else if (LEFTOVER.test(name)) report.add('L1', `blobs/${name} is a leftover of an interrupted write`);
    else report.add('L11', `blobs/${name} is not named by a digest`);
  }
}

function judgeFolder(path: string, name: string, report: Report): boolean {
  const stat = statOf(path);
  if (stat === null || !stat.isDirectory()) {
    report.add('L1', `${name} is ${stat === null ? 'missing' : 'not a folder'}`);
    return false;
  }
  if (modeOf(stat) !== 0o700) report.add('L3', `${name} has mode ${octal(stat)}, not 700`);
  return true;
}

function judgeFile(
  path: string,
  expected: { readonly name: string; readonly mode: number; readonly linked: boolean },
  report: Report,
): void {
  const stat = statOf(path);
  if (stat === null) return;
  if (!stat.isFile()) {
    report.add('L3', `${expected.name} is not a regular file`);
    return;
  }
  if (modeOf(stat) !== expected.mode) {
    report.add('L3', `${expected.name} has mode ${octal(stat)}, not ${expected.mode.toString(8)}`);
  }
  if (!expected.linked && stat.nlink !== 1n) report.add('L3', `${expected.name} is linked elsewhere`);
}

function octal(stat: BigIntStats): string {
  return modeOf(stat).toString(8);
}
