/**
 * An auditor of runs on a disk, written from docs/log-format.md alone. It imports no package of ours, so that a mistake
 * of the writer is not also the auditor's.
 *
 * 1. It only reads.
 * 2. Each problem names the rule it breaks; after one, it goes on with what it can still read.
 * 3. What a reader may skip (L7), a torn tail (L9) and an index nobody believes (L22) are no problems.
 */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { judgeConversation } from './conversations.ts';
import { judgeDescent } from './descent.ts';
import { listSegments, modeOf, statOf } from './files.ts';
import { judgeIndex } from './indexes.ts';
import { type Link, readSegment } from './lines.ts';
import { startsRun } from './origin.ts';
import { createReport, type Problem } from './problem.ts';
import { judgeEvent0, judgeRun, judgeRunIdentity } from './runs.ts';
import { judgeTurns } from './turns.ts';
import { createValueAudit } from './values.ts';
import { judgeWalk } from './walk.ts';

/** Checks one run, and its inherited lines against its ancestors where they lie beside it. */
export function auditRun(runFolder: string): readonly Problem[] {
  const name = basename(runFolder);
  const report = createReport(name);
  const link: Link = { offset: 0, digest: '0'.repeat(64), rule: 'L6', position: 0 };
  const segments = listSegments(runFolder, report).map((file) => readSegment(file, link, report));
  if (segments.length === 0) return report.problems;
  const lines = segments.flatMap((segment) => segment.lines);
  const values = createValueAudit(join(runFolder, 'blobs'), report);
  for (const line of lines) values.judge(line);
  if (startsRun(lines[0])) {
    judgeRunIdentity(lines, name, report);
    judgeRun(segments, { folder: runFolder, name }, report);
    judgeWalk(lines, report);
  } else {
    judgeDescent(lines, { folder: runFolder, name }, report);
    judgeConversation(segments, { folder: runFolder, name }, report);
    judgeTurns(lines, report);
  }
  judgeEvent0(lines, report);
  for (const segment of segments) judgeIndex(segment, report);
  return report.problems;
}

/** Checks every run of a store, and that files are shared by relatives only. */
export function auditStore(home: string): readonly Problem[] {
  const runs = join(home, 'runs');
  if (statOf(runs) === null) return [];
  const report = createReport('runs');
  const stat = statOf(runs);
  if (stat !== null && modeOf(stat) !== 0o700) report.add('L3', 'runs/ has a mode other than 700');
  const names = readdirSync(runs).filter((name) => !name.startsWith('.'));
  const folders = names.filter((name) => {
    const isFolder = statOf(join(runs, name))?.isDirectory() === true;
    if (!isFolder) report.add('L1', `runs/${name} is no run`);
    return isFolder;
  });
  const problems = folders.flatMap((name) => auditRun(join(runs, name)));
  return [...report.problems, ...problems, ...judgeSharing(runs, folders)];
}

/** Files with one inode have one name below their runs: the same segment or the same payload (L3). */
function judgeSharing(runs: string, names: readonly string[]): readonly Problem[] {
  const seen = new Map<string, string>();
  const problems: Problem[] = [];
  for (const run of names) {
    const report = createReport(run);
    for (const file of sharedFilesOf(join(runs, run))) {
      const key = identityOf(join(runs, run, file));
      const other = key === null ? undefined : seen.get(key);
      if (other !== undefined && other !== file) report.add('L3', `${file} is linked to another run's ${other}`);
      else if (key !== null) seen.set(key, file);
    }
    problems.push(...report.problems);
  }
  return problems;
}

function sharedFilesOf(runFolder: string): readonly string[] {
  return ['log', 'blobs'].flatMap((folder) => {
    const path = join(runFolder, folder);
    return statOf(path)?.isDirectory() === true ? readdirSync(path).map((name) => join(folder, name)) : [];
  });
}

function identityOf(path: string): string | null {
  const stat = statOf(path);
  return stat === null || stat.nlink < 2n ? null : `${stat.dev}:${stat.ino}`;
}
