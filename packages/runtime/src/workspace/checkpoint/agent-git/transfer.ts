/**
 * Brings the agent's objects into `store.git`.
 *
 * 1. They cross only as a pack that the host's `index-pack --stdin --strict --fix-thin` takes: every id is recomputed,
 *    every object is parsed, and every object it links to must be there. A few loose blobs are read as bytes instead:
 *    they link to nothing, and content that has the id is the object.
 * 2. So everything in the store is connected, and an object the store has is never asked for again.
 * 3. An object HEAD or the index need, or one a ref names and the agent has, fails the checkpoint by name when it is
 *    not in the store afterwards. A ref to nothing, and what is merely mentioned (an expired reflog entry), may be
 *    missing, as it is for the agent.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '@ramet/core/codes';
import type { CaptureLimits, WorkspaceHandle } from '../../types.ts';
import type { ObjectFormat, ObjectType } from '../objects/format.ts';
import { takeIncoming } from '../objects/incoming.ts';
import { probeObjects } from '../objects/read.ts';
import { renderRevisions } from './keeping.ts';
import { AgentGitOverLimit, INDEX_THREADS, takeWithin } from './limits.ts';
import { readLooseBlobs } from './loose-blobs.ts';
import { type AgentObjects, openAgentObjects } from './objects-source.ts';
import { askForObjects, lookUpObjects } from './present.ts';

export interface WantedObjects {
  readonly required: ReadonlySet<string>;
  /** What refs name. */
  readonly named: ReadonlySet<string>;
  readonly mentioned: ReadonlySet<string>;
}

export interface BringRequest {
  readonly workspace: WorkspaceHandle;
  readonly format: ObjectFormat;
  readonly wanted: WantedObjects;
  readonly limits: CaptureLimits;
}

export interface BroughtObjects {
  /** Types of the wanted objects that are there now. */
  readonly types: ReadonlyMap<string, ObjectType>;
  /** Those that `base.git` has. */
  readonly inBase: ReadonlySet<string>;
  /** Contents that were read and are not in the store yet: the checkpoint writes them. */
  readonly blobs: ReadonlyMap<string, Buffer>;
  /** Objects refs name and the agent does not have, sorted. */
  readonly missing: readonly string[];
}

/**
 * What a strict check may find without harm: names and identities. Structure (headers, ids, links, sorting) stays
 * strict. These trees are never checked out by the host.
 */
export const TOLERATED = [
  'hasDot hasDotdot hasDotgit zeroPaddedFilemode badFilemode',
  'gitmodulesSymlink gitmodulesName gitmodulesUrl gitmodulesPath gitmodulesParse gitmodulesUpdate gitmodulesMissing',
  'gitattributesLarge gitattributesLineLength gitattributesMissing gitattributesBlob gitmodulesBlob gitmodulesLarge',
  'badEmail badName missingEmail missingNameBeforeEmail missingSpaceBeforeEmail',
  'missingSpaceBeforeDate badDate badDateOverflow badTimezone zeroPaddedDate badTagName missingTaggerEntry',
  'multipleAuthors nulInCommit',
]
  .join(' ')
  .split(' ')
  .map((item) => `${item}=ignore`)
  .join(',');

/** Makes the store hold every wanted object the agent has. */
export async function bringObjects(request: BringRequest): Promise<BroughtObjects> {
  const { workspace, wanted } = request;
  const { storeGit } = workspace.project;
  const objects = withoutEmpty([...wanted.named, ...wanted.mentioned]);
  const contents = withoutEmpty(wanted.required);
  const all = new Set([...objects, ...contents]);
  const { types, inBase, unpacked, open } = lookUpObjects(workspace.project, { objects, contents });
  const blobs = readLooseBlobs(workspace.path, unpacked, request.format);
  for (const oid of blobs.keys()) types.set(oid, 'blob');
  const asked = [...open, ...unpacked.filter((oid) => !blobs.has(oid))];
  await askForObjects(workspace.project, { types, inBase }, asked);
  const missing = withoutKeys(all, types);
  let claimed: ReadonlySet<string> = new Set();
  if (missing.length > 0) {
    claimed = await fetchMissing({ ...request, missing, present: types });
    for (const [oid, type] of await probeObjects(storeGit, missing)) types.set(oid, type);
  }
  const absent = [...wanted.named].filter((oid) => all.has(oid) && !types.has(oid));
  const lost = [...wanted.required].filter((oid) => all.has(oid) && !types.has(oid));
  lost.push(...absent.filter((oid) => claimed.has(oid)));
  if (lost.length > 0) throw makeLossFailure(lost);
  return { types, inBase, blobs, missing: absent.sort() };
}

/** The empty blob and tree: git knows them without having them, an intent-to-add entry names one. */
const EMPTY_OBJECTS: ReadonlySet<string> = new Set([
  'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
  '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  '473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813',
  '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
]);

function withoutEmpty(oids: Iterable<string>): Set<string> {
  const some = new Set(oids);
  for (const empty of EMPTY_OBJECTS) some.delete(empty);
  return some;
}

interface Fetch extends BringRequest {
  readonly missing: readonly string[];
  readonly present: ReadonlyMap<string, ObjectType>;
}

/** Brings what is missing; returns what the agent claims to have of it. */
async function fetchMissing(fetch: Fetch): Promise<ReadonlySet<string>> {
  const agent = await openAgentObjects(fetch.workspace, fetch.format, fetch.limits);
  try {
    const commits = [...fetch.present].filter(([, type]) => type === 'commit').map(([oid]) => oid);
    if (await bringAll(fetch, agent, commits)) return new Set(fetch.missing);
    const had = await agent.probe([...fetch.missing, ...commits]);
    const positive = fetch.missing.filter((oid) => had.has(oid));
    const negative = commits.filter((oid) => had.has(oid));
    const claimed = new Set(positive);
    if (positive.length === 0) return claimed;
    const { required: needed, named } = fetch.wanted;
    const required = positive.filter((oid) => needed.has(oid) || named.has(oid));
    try {
      await bringPack(fetch, agent, renderRevisions(positive, negative));
    } catch (error) {
      // Something merely mentioned may be half gone (pruned history behind an old reflog entry): do without it.
      if (isFinal(error) || required.length === positive.length) throw error;
      if (required.length > 0) await bringPack(fetch, agent, renderRevisions(required, negative));
    }
    return claimed;
  } finally {
    agent.close();
  }
}

/** Brings everything at once, which is most of the time there; false where one of the objects is not. */
async function bringAll(fetch: Fetch, agent: AgentObjects, commits: readonly string[]): Promise<boolean> {
  try {
    await bringPack(fetch, agent, renderRevisions(fetch.missing, commits));
    return true;
  } catch (error) {
    if (isFinal(error)) throw error;
    return false;
  }
}

function isFinal(error: unknown): boolean {
  return error instanceof AgentGitOverLimit || (error as Failure).code === 'interrupted';
}

async function bringPack(fetch: Fetch, agent: AgentObjects, revisions: string): Promise<void> {
  const { workspace, limits } = fetch;
  const file = join(workspace.privateFolder, `objects-${randomUUID()}.pack`);
  try {
    await agent.pack(revisions, file);
    await takePack(workspace, file, limits.packTimeMs);
  } finally {
    rmSync(file, { force: true });
  }
}

async function takePack(workspace: WorkspaceHandle, file: string, timeMs: number): Promise<void> {
  const { storeGit } = workspace.project;
  try {
    await takeIncoming(storeGit, (env) =>
      takeWithin(timeMs, {
        gitDir: storeGit,
        args: ['index-pack', '--stdin', `--strict=${TOLERATED}`, '--fix-thin', `--threads=${INDEX_THREADS}`],
        settings: [['core.bigFileThreshold', '64m']],
        env,
        stdin: createReadStream(file),
      }),
    );
  } catch (cause) {
    if (cause instanceof AgentGitOverLimit || (cause as Failure).code !== 'git_failed') throw cause;
    const why = (cause as Error).message;
    throw new Failure(
      'checkpoint_failed',
      `The objects of the workspace's .git do not pass git's check (${why}): run git fsck in the workspace.`,
      { cause },
    );
  }
}

function withoutKeys(oids: ReadonlySet<string>, known: ReadonlyMap<string, unknown>): string[] {
  return [...oids].filter((oid) => !known.has(oid));
}

function makeLossFailure(lost: readonly string[]): Failure {
  const named = lost.slice(0, 3).join(', ');
  return new Failure(
    'checkpoint_failed',
    `The workspace's .git is damaged: ${lost.length} object(s) that HEAD, refs or the index name are missing or forged (${named}). Run git fsck in the workspace.`,
    { data: { objects: lost.slice(0, 100) } },
  );
}
