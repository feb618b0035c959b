/**
 * Writes new objects of ours into `store.git` as one pack; `small-pack.ts` writes those of a usual capture.
 *
 * 1. git itself takes the pack (`index-pack --stdin`), recomputes every id and writes it durably; nothing is left in
 *    the store when it fails.
 * 2. A file whose bytes are not those it was named by fails the pack: nothing half read becomes content.
 */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createDeflate, deflateSync } from 'node:zlib';
import { git } from '../../git/index.ts';
import { changedMeanwhile, readChunks, readLink } from '../folder/content.ts';
import type { FileToRead } from '../folder/file-table.ts';
import { type ObjectFormat, type ObjectType, startObjectHash } from './format.ts';
import { takeIncoming } from './incoming.ts';

/** Where an object's bytes come from. */
export type ObjectSource =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'file' | 'link'; readonly root: string; readonly entry: FileToRead };

export interface PackObject {
  readonly oid: string;
  readonly type: ObjectType;
  readonly source: ObjectSource;
}

const TYPE_NUMBERS: Record<ObjectType, number> = { commit: 1, tree: 2, blob: 3, tag: 4 };
const FLUSH_BYTES = 256 * 1024;
/** Fast, and within a few percent of git's own default on source text. */
export const COMPRESSION = { level: 1 } as const;

export interface PackRequest {
  readonly objects: readonly PackObject[];
  /** Findings git's strict check lets pass; absent, what the objects link to is not looked up. */
  readonly strict?: string;
}

/** Writes the objects as one pack and makes it durable. */
export async function writePack(storeGit: string, format: ObjectFormat, request: PackRequest): Promise<void> {
  const { objects, strict } = request;
  if (objects.length === 0) return;
  const check = strict === undefined ? [] : [`--strict=${strict}`];
  const args = ['index-pack', '--stdin', ...check] as const;
  await takeIncoming(storeGit, (env) => git({ gitDir: storeGit, args, env, stdin: renderPack(format, objects) }));
}

/** A pack's first bytes. */
export function renderPackHeader(count: number): Buffer {
  const header = Buffer.from('PACK\0\0\0\u0002\0\0\0\0', 'latin1');
  header.writeUInt32BE(count, 8);
  return header;
}

/** Names of all files in a repository's folder of packs; a pack never changes under its name. */
export function listPackFiles(gitDir: string): string[] {
  return readdirSync(join(gitDir, 'objects', 'pack')).filter((name) => /^pack-[0-9a-f]+\.(?:pack|idx)$/.test(name));
}

/** The bytes of a pack (version 2, no deltas) with these objects. */
async function* renderPack(format: ObjectFormat, objects: readonly PackObject[]): AsyncGenerator<Buffer> {
  const trailer = createHash(format.name);
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  for await (const piece of renderPieces(format, objects)) {
    trailer.update(piece);
    waiting.push(piece);
    waitingBytes += piece.length;
    if (waitingBytes < FLUSH_BYTES) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
  }
  yield Buffer.concat([...waiting, trailer.digest()]);
}

async function* renderPieces(format: ObjectFormat, objects: readonly PackObject[]): AsyncGenerator<Buffer> {
  yield renderPackHeader(objects.length);
  for (const object of objects) {
    const { source } = object;
    if (source.kind === 'file') {
      yield renderObjectHeader(object.type, source.entry.size);
      yield* deflateFile(format, object.oid, source);
    } else {
      const bytes = source.kind === 'bytes' ? source.bytes : readLink(source.root, source.entry);
      yield renderObjectHeader(object.type, bytes.length);
      yield deflateSync(bytes, COMPRESSION);
    }
  }
}

/** What comes before an object's compressed bytes. */
export function renderObjectHeader(type: ObjectType, size: number): Buffer {
  const bytes: number[] = [];
  let byte = (TYPE_NUMBERS[type] << 4) | (size & 15);
  // Division, not shifts: sizes go beyond 32 bits.
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(byte | 0x80);
    byte = rest % 128;
  }
  bytes.push(byte);
  return Buffer.from(bytes);
}

async function* deflateFile(
  format: ObjectFormat,
  oid: string,
  { root, entry }: { root: string; entry: FileToRead },
): AsyncGenerator<Buffer> {
  const digest = startObjectHash(format, 'blob', entry.size);
  const deflate = createDeflate(COMPRESSION);
  async function* source() {
    for (const chunk of readChunks(root, entry)) {
      digest.update(chunk);
      yield chunk;
    }
  }
  const feeding = pump(source(), deflate);
  for await (const chunk of deflate) yield chunk as Buffer;
  await feeding;
  if (digest.digest('hex') !== oid) throw changedMeanwhile(entry.path);
}

async function pump(source: AsyncIterable<Buffer>, target: ReturnType<typeof createDeflate>): Promise<void> {
  try {
    for await (const chunk of source) {
      if (!target.write(chunk)) await new Promise((resolve) => target.once('drain', resolve));
    }
    target.end();
  } catch (error) {
    target.destroy(error as Error);
  }
}
