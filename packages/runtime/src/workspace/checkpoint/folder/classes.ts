/** Which limits a path falls under: tracked, untracked or ignored. */
import type { IgnoreRules } from './ignored.ts';
import { type BytePath, nestedRepositoryOf } from './names.ts';
import { cachedClass, type PathClass, type StatCache } from './stat-cache.ts';

export interface ClassifyRequest {
  readonly rules: IgnoreRules;
  /** Paths the agent's index names. */
  readonly tracked: ReadonlyMap<BytePath, unknown>;
  readonly cache: StatCache | null;
  readonly candidates: readonly { readonly path: BytePath }[];
}

/** Classes of the paths that are not tracked; git is asked only about those the stat cache does not know under the same rules. */
export async function classifyPaths(request: ClassifyRequest): Promise<Map<BytePath, PathClass>> {
  const { rules, tracked, cache, candidates } = request;
  const remembered = cache?.ignoreKey === rules.key ? cache : null;
  const classes = new Map<BytePath, PathClass>();
  const questions = new Map<BytePath, BytePath>();
  for (const { path } of candidates) {
    if (path.startsWith('.git/') || tracked.has(path)) continue;
    const known = remembered === null ? null : cachedClass(remembered, path);
    // A nested repository's git directory is as ignored as the folder that holds it; git itself never names one.
    const repository = nestedRepositoryOf(path);
    if (repository === '') classes.set(path, 'untracked');
    else if (known !== null && known !== 'tracked') classes.set(path, known);
    else questions.set(path, repository === null ? path : `${repository}/`);
  }
  const ignored = await rules.findIgnored([...new Set(questions.values())]);
  for (const [path, question] of questions) classes.set(path, ignored.has(question) ? 'ignored' : 'untracked');
  return classes;
}
