/** Gives a restored git directory its objects: those of `base.git` borrowed, the agent's own as one pack of its own. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { git, startGit } from '../../git/index.ts';
import type { Project } from '../../types.ts';
import { hashTag, listBaseTips, renderRevisions, shallowEnvironment } from '../agent-git/keeping.ts';
import type { ObjectFormat } from '../objects/format.ts';
import { readObjects } from '../objects/read.ts';
import type { CheckpointContents } from '../read.ts';

export interface WriteObjectsRequest {
  readonly project: Project;
  readonly contents: CheckpointContents;
  readonly staging: string;
  readonly format: ObjectFormat;
}

/** Writes `.git/objects`, where there was one. git runs in the store, never in the new folder. */
export async function writeObjects(request: WriteObjectsRequest): Promise<void> {
  const { project, contents, staging } = request;
  if (!contents.manifest.hasObjects) return;
  const objects = join(staging, '.git', 'objects');
  for (const folder of ['info', 'pack']) mkdirSync(join(objects, folder), { recursive: true, mode: 0o700 });
  writeFileSync(join(objects, 'info', 'alternates'), `${join(project.baseGit, 'objects')}\n`, { mode: 0o600 });
  await writePrivatePack(request, objects);
  await writeTags(request, objects);
}

/** The pack and what git writes before it has its name lie in the new folder, and go with it when it fails. */
async function writePrivatePack(request: WriteObjectsRequest, objects: string): Promise<void> {
  const { project, contents } = request;
  const wanted = [...contents.parents, ...contents.keep];
  if (wanted.length === 0) return;
  const packing = await startGit({
    gitDir: project.storeGit,
    args: ['pack-objects', '--revs', '--local', '--stdout', '--delta-base-offset', '-q'],
    env: shallowEnvironment(project),
  });
  try {
    packing.process.stdin.end(renderRevisions(wanted, await listBaseTips(project)));
    await git({
      gitDir: project.storeGit,
      args: ['index-pack', '--stdin'],
      stdin: packing.process.stdout,
      env: { GIT_OBJECT_DIRECTORY: objects },
    });
    await packing.ended;
  } finally {
    packing.process.kill();
  }
}

/** Tags are written as loose objects from their raw bytes: no commit or tree leads to them. */
async function writeTags(request: WriteObjectsRequest, objects: string): Promise<void> {
  const { project, contents, format } = request;
  const raw = await readObjects(project.storeGit, [...new Set(contents.tags.map((tag) => tag.blob))]);
  for (const { tag, blob } of contents.tags) {
    const content = raw.get(blob) ?? Buffer.alloc(0);
    if (hashTag(format, content) !== tag) throw new Error(`the bytes of tag ${tag} are damaged`);
    mkdirSync(join(objects, tag.slice(0, 2)), { recursive: true, mode: 0o700 });
    const bytes = deflateSync(Buffer.concat([Buffer.from(`tag ${content.length}\0`), content]));
    writeFileSync(join(objects, tag.slice(0, 2), tag.slice(2)), bytes, { mode: 0o444 });
  }
}
