/** Names the content of a workspace's files; only what may have changed is read. */
import type { Comparison } from './folder/comparison.ts';
import { readChunks, readLink, readWhole } from './folder/content.ts';
import { type CapturedColumns, describeRow, type FileTable, type FileToRead } from './folder/file-table.ts';
import type { StatCache } from './folder/stat-cache.ts';
import { hashObject, type ObjectFormat, startObjectHash } from './objects/format.ts';
import type { ObjectSource } from './objects/pack.ts';

export interface NamingRequest {
  readonly root: string;
  readonly format: ObjectFormat;
  readonly files: FileTable & Comparison;
  readonly cache: StatCache | null;
}

export interface NamedContents extends Pick<CapturedColumns, 'oids'> {
  /** Contents that were read and are small, by row; others are read again when they are packed. */
  readonly contents: ReadonlyMap<number, Uint8Array>;
}

const WHOLE_BYTES = 1024 * 1024;
/** Contents kept in memory between hashing and packing. */
const KEPT_BYTES = 64 * 1024 * 1024;

/** Names what every row of a table holds. */
export async function nameContents(request: NamingRequest): Promise<NamedContents> {
  const { files, cache, root, format } = request;
  const { rawLength } = format;
  const oids = Buffer.alloc(files.names.length * rawLength);
  const contents = new Map<number, Uint8Array>();
  let room = KEPT_BYTES;
  for (const { path: folder, from, to } of files.folders) {
    for (let row = from; row < to; row += 1) {
      if (cache !== null && files.unchanged[row] === 1) {
        const start = (files.before[row] ?? 0) * rawLength;
        cache.oids.copy(oids, row * rawLength, start, start + rawLength);
        continue;
      }
      const { oid, bytes } = await hashContent(root, format, describeRow(files, folder, row));
      oids.write(oid, row * rawLength, 'hex');
      if (bytes === null || bytes.length > room) continue;
      contents.set(row, bytes);
      room -= bytes.length;
    }
  }
  return { oids, contents };
}

async function hashContent(
  root: string,
  format: ObjectFormat,
  file: FileToRead,
): Promise<{ oid: string; bytes: Uint8Array | null }> {
  if (file.kind === 'link' || file.size <= WHOLE_BYTES) {
    const bytes = file.kind === 'link' ? readLink(root, file) : readWhole(root, file);
    return { oid: hashObject(format, 'blob', bytes), bytes };
  }
  const digest = startObjectHash(format, 'blob', file.size);
  for (const chunk of readChunks(root, file)) {
    digest.update(chunk);
    await new Promise(setImmediate);
  }
  return { oid: digest.digest('hex'), bytes: null };
}

/** Where content can be read that was not kept. */
export function locateContent(root: string, file: FileToRead, bytes: Uint8Array | undefined): ObjectSource {
  if (bytes !== undefined) return { kind: 'bytes', bytes };
  return { kind: file.kind === 'link' ? 'link' : 'file', root, entry: file };
}
