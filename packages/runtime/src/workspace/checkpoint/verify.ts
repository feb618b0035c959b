/** Checks a checkpoint from `store.git` (and the `base.git` it borrows from) alone: every object's bytes are read. */
import { Failure } from '@ramet/core/codes';
import { git, splitLines } from '../git/index.ts';
import type { Project } from '../types.ts';
import { hashTag, listBaseTips, renderRevisions, shallowEnvironment } from './agent-git/keeping.ts';
import { readObjectFormat, startObjectHash } from './objects/format.ts';
import { probeObjects, readObjects, streamObjects } from './objects/read.ts';
import { type CheckpointContents, readCheckpoint, readCheckpointRefs } from './read.ts';

export interface VerifyRequest {
  readonly project: Project;
  readonly checkpoint: string;
}

/** What went wrong with the machine says nothing about a checkpoint. */
const MACHINE_CODES: ReadonlySet<string> = new Set(['interrupted', 'git_missing', 'process_failed']);

/** Problems of a checkpoint, in words; none means that it can be restored. */
export async function verifyCheckpoint(request: VerifyRequest): Promise<readonly string[]> {
  const { project, checkpoint } = request;
  try {
    const contents = await readCheckpoint(project, checkpoint);
    return [...(await verifyObjects(project, contents)), ...(await verifyReferences(project, contents))];
  } catch (error) {
    if (error instanceof Failure && !MACHINE_CODES.has(error.code)) return [error.message];
    throw error;
  }
}

async function verifyObjects(project: Project, contents: CheckpointContents): Promise<string[]> {
  const { id, parents } = contents;
  const tree = await git({
    gitDir: project.storeGit,
    args: ['ls-tree', '-r', '-t', '--full-tree', '--format=%(objecttype) %(objectname)', id],
  });
  const history = await git({
    gitDir: project.storeGit,
    args: ['rev-list', '--objects', '--no-object-names', '--missing=print', '--stdin'],
    stdin: renderRevisions(parents, await listBaseTips(project)),
    env: shallowEnvironment(project),
  });
  // A tree the index knew may link to a submodule's commit, which is no object of ours.
  const held = splitLines(tree.stdout).filter((line) => !line.startsWith('commit '));
  const oids = new Set([id, ...held.map((line) => line.slice(line.indexOf(' ') + 1)), ...splitLines(history.stdout)]);
  const missing = [...oids].filter((oid) => oid.startsWith('?')).map((oid) => oid.slice(1));
  const problems = missing.map((oid) => `object ${oid} of the agent's history is missing`);
  const asked = [...oids].filter((oid) => !oid.startsWith('?'));
  const present = await probeObjects(project.storeGit, asked);
  for (const oid of asked) if (!present.has(oid)) problems.push(`object ${oid} is missing`);
  return [
    ...problems,
    ...(await verifyBytes(
      project,
      asked.filter((oid) => present.has(oid)),
    )),
  ];
}

async function verifyBytes(project: Project, oids: readonly string[]): Promise<string[]> {
  const format = await readObjectFormat(project.storeGit);
  const problems: string[] = [];
  let expected = '';
  let digest = startObjectHash(format, 'blob', 0);
  await streamObjects(project.storeGit, oids, {
    begin: (oid, type, size) => {
      expected = oid;
      digest = startObjectHash(format, type, size);
    },
    write: (chunk) => digest.update(chunk),
    end: () => {
      if (digest.digest('hex') !== expected) problems.push(`object ${expected} is damaged`);
    },
  });
  return problems;
}

async function verifyReferences(project: Project, contents: CheckpointContents): Promise<string[]> {
  const problems: string[] = [];
  const format = await readObjectFormat(project.storeGit);
  const raw = await readObjects(
    project.storeGit,
    contents.tags.map((tag) => tag.blob),
  );
  for (const { tag, blob } of contents.tags) {
    if (hashTag(format, raw.get(blob) ?? Buffer.alloc(0)) !== tag) problems.push(`tag ${tag} is damaged`);
  }
  if (contents.manifest.git.state !== 'complete') return problems;
  const { commit, refs } = await readCheckpointRefs(project, contents);
  const named = new Set([...refs.values(), ...(commit === null ? [] : [commit])]);
  for (const { tag } of contents.tags) named.delete(tag);
  for (const oid of contents.manifest.missing) named.delete(oid);
  const present = await probeObjects(project.storeGit, named);
  for (const oid of named) if (!present.has(oid)) problems.push(`object ${oid}, which a ref names, is missing`);
  return problems;
}
