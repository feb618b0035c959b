/**
 * How a checkpoint keeps the agent's private objects alive: tips of its history as parents, blobs and trees only the
 * index knows below `keep/`, annotated tags as raw bytes below `tags/`. What `base.git` has is not kept again.
 */

import { git, splitLines } from '../../git/index.ts';
import type { Project } from '../../types.ts';
import type { ObjectFormat, ObjectType, TreeItem } from '../objects/format.ts';
import { hashObject } from '../objects/format.ts';
import { probeObjects, readObjects } from '../objects/read.ts';
import { AgentGitOverLimit, LONGEST_TAG_CHAIN } from './limits.ts';
import type { BroughtObjects } from './transfer.ts';

export interface KeptObjects {
  /** Private commits no other private commit leads to, sorted. */
  readonly parents: readonly string[];
  /** Entries of `keep/`. */
  readonly keep: readonly TreeItem[];
  /** Raw annotated tags by the id of the tag. */
  readonly tags: ReadonlyMap<string, Buffer>;
}

/** Derives what a checkpoint has to keep from the objects that are in the store. */
export async function deriveKept(project: Project, brought: BroughtObjects): Promise<KeptObjects> {
  const types = new Map([...brought.types].filter(([oid]) => !brought.inBase.has(oid)));
  const tags = await readTags(project, types);
  const keep: TreeItem[] = [];
  for (const [oid, type] of types) {
    if (type === 'blob') keep.push({ name: oid, mode: '100644', oid });
    if (type === 'tree') keep.push({ name: oid, mode: '40000', oid });
  }
  const commits = [...types].filter(([, type]) => type === 'commit').map(([oid]) => oid);
  return { parents: await findTips(project, commits), keep, tags };
}

/** Reads private tags, and adds what they point at to the private objects; a tag may point at a tag. */
async function readTags(project: Project, types: Map<string, ObjectType>): Promise<Map<string, Buffer>> {
  const tags = new Map<string, Buffer>();
  let pending = [...types].filter(([, type]) => type === 'tag').map(([oid]) => oid);
  for (let round = 0; pending.length > 0; round += 1) {
    if (round === LONGEST_TAG_CHAIN) throw new AgentGitOverLimit(`it has a chain of more than ${round} tags`);
    const targets = new Set<string>();
    for (const [oid, content] of await readObjects(project.storeGit, pending)) {
      tags.set(oid, content);
      const [, target] = /^object ([0-9a-f]+)\n/.exec(content.toString('latin1', 0, 80)) ?? [];
      if (target !== undefined && !types.has(target)) targets.add(target);
    }
    for (const oid of (await probeObjects(project.baseGit, targets)).keys()) targets.delete(oid);
    const found = await probeObjects(project.storeGit, targets);
    for (const [oid, type] of found) types.set(oid, type);
    pending = [...found].filter(([, type]) => type === 'tag').map(([oid]) => oid);
  }
  return tags;
}

async function findTips(project: Project, commits: readonly string[]): Promise<string[]> {
  if (commits.length < 2) return [...commits];
  const base = await listBaseTips(project);
  const outcome = await git({
    gitDir: project.storeGit,
    args: ['rev-list', '--parents', '--stdin'],
    stdin: renderRevisions(commits, base),
    env: shallowEnvironment(project),
  });
  const led = new Set<string>();
  for (const line of splitLines(outcome.stdout)) for (const parent of line.split(' ').slice(1)) led.add(parent);
  return commits.filter((commit) => !led.has(commit)).sort();
}

/** Revisions for `rev-list --stdin` and `pack-objects --revs`; the older ones take no `--not` on their input. */
export function renderRevisions(wanted: readonly string[], excluded: readonly string[]): string {
  return `${[...wanted, ...excluded.map((oid) => `^${oid}`)].join('\n')}\n`;
}

/** Every object a ref of `base.git` names. */
export async function listBaseTips(project: Project): Promise<string[]> {
  const outcome = await git({ gitDir: project.baseGit, args: ['for-each-ref', '--format=%(objectname)'] });
  return splitLines(outcome.stdout);
}

/** Lets git in the store know where the person's shallow history ends. */
export function shallowEnvironment(project: Project): Record<string, string> {
  return { GIT_SHALLOW_FILE: `${project.baseGit}/shallow` };
}

/** The id a raw tag has; a checkpoint's own entry names are checked against it. */
export function hashTag(format: ObjectFormat, content: Uint8Array): string {
  return hashObject(format, 'tag', content);
}
