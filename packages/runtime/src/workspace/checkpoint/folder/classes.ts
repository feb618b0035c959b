/** Which limits a file falls under: tracked, untracked or ignored. */
import type { Comparison } from './comparison.ts';
import { type CapturedColumns, type FileTable, IGNORED, TRACKED, UNTRACKED } from './file-table.ts';
import type { IgnoreRules } from './ignored.ts';
import { type BytePath, isOwnGitFolder, joinPath, nestedRepositoryOf } from './names.ts';
import type { StatCache } from './stat-cache.ts';

export interface ClassifyRequest {
  readonly rules: IgnoreRules;
  readonly cache: StatCache | null;
  readonly table: FileTable & Comparison & Pick<CapturedColumns, 'entries'>;
}

/** A class for each row; git is asked only about those the stat cache does not know under the same rules. */
export async function classifyFiles(request: ClassifyRequest): Promise<Uint8Array> {
  const { rules, cache, table } = request;
  const remembered = cache?.ignoreKey === rules.key ? cache : null;
  const classes = new Uint8Array(table.names.length);
  const questions = new Map<number, BytePath>();
  for (const { path: folder, from, to } of table.folders) {
    if (isOwnGitFolder(folder)) continue;
    for (let row = from; row < to; row += 1) {
      if (table.entries[row] !== 0) continue;
      const path = joinPath(folder, table.names[row] ?? '');
      const known = remembered?.classes[table.before[row] ?? -1] ?? TRACKED;
      // A nested repository's git directory is as ignored as the folder that holds it; git itself never names one.
      const repository = nestedRepositoryOf(path);
      if (repository === '') classes[row] = UNTRACKED;
      else if (known !== TRACKED) classes[row] = known;
      else questions.set(row, repository === null ? path : `${repository}/`);
    }
  }
  const ignored = await rules.findIgnored([...new Set(questions.values())]);
  for (const [row, question] of questions) classes[row] = ignored.has(question) ? IGNORED : UNTRACKED;
  return classes;
}
