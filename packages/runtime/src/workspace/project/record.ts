/**
 * `projects/<id>/project.json`: how a checkout finds its project.
 *
 * A repository is the same one while its common git directory keeps device, inode and birth time: that survives a
 * move. A path alone is believed only if the repository there holds a commit the project already knows: a fresh
 * clone in the old place joins, another repository does not.
 */
import { open, readdir, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '@ramet/core/codes';
import { syncFolder } from '../../store/durable.ts';

export interface ProjectRecord {
  readonly schema: 1;
  readonly id: string;
  /** A checkout of the repository: where it was last found. */
  readonly path: string;
  readonly commonDir: string;
  readonly objectFormat: string;
  /** Of the common git directory; decimal. Birth time is '0' where the file system keeps none. */
  readonly device: string;
  readonly inode: string;
  readonly birthTimeNs: string;
}

export type FileIdentity = Pick<ProjectRecord, 'device' | 'inode' | 'birthTimeNs'>;

/** What makes a folder the same folder after a move. */
export async function readIdentity(folder: string): Promise<FileIdentity> {
  const stats = await stat(folder, { bigint: true });
  return { device: String(stats.dev), inode: String(stats.ino), birthTimeNs: String(stats.birthtimeNs) };
}

/** Whether two identities are of one folder. */
export function sameIdentity(a: FileIdentity, b: FileIdentity): boolean {
  return a.device === b.device && a.inode === b.inode && a.birthTimeNs === b.birthTimeNs;
}

/** All projects' records; one that cannot be read is passed over, its runs still know their project by id. */
export async function readRecords(projects: string): Promise<ProjectRecord[]> {
  const names = await readdir(projects).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const records = await Promise.all(
    names.filter((name) => !name.startsWith('.')).map((name) => readRecord(join(projects, name))),
  );
  return records.filter((record) => record !== null);
}

/** One project's record; null where there is none that makes sense. */
export async function readRecord(folder: string): Promise<ProjectRecord | null> {
  const text = await readFile(join(folder, 'project.json'), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** Replaces a project's record in one step, durably. */
export async function writeRecord(folder: string, record: ProjectRecord): Promise<void> {
  const staged = join(folder, 'project.json.new');
  try {
    const file = await open(staged, 'w', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(record, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(staged, join(folder, 'project.json'));
    await syncFolder(folder);
  } catch (cause) {
    throw new Failure('disk_failed', `Could not write ${join(folder, 'project.json')}: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function isRecord(value: unknown): value is ProjectRecord {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Record<string, unknown>;
  const texts = ['id', 'path', 'commonDir', 'objectFormat', 'device', 'inode', 'birthTimeNs'];
  return fields.schema === 1 && texts.every((name) => typeof fields[name] === 'string');
}
