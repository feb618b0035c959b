/**
 * Writes a pack and its index without git: for the few objects of a usual capture the process would cost more than all
 * the rest. Formats: gitformat-pack(5), version 2 of both.
 *
 * 1. Every object's bytes are in memory, and its id is computed from them here.
 * 2. Durable when it returns: both files, then their names, the pack's first. What a crash leaves behind has a name of
 *    git's own temporary packs, which `gc` clears.
 */
import { hash, randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { moveEntry, syncFolder, syncPath, writeNewFile } from '../../../store/durable.ts';
import { hashObject, type ObjectFormat, type ObjectType } from './format.ts';
import { COMPRESSION, renderObjectHeader, renderPackHeader } from './pack.ts';

/** An object in memory. */
export interface SmallObject {
  readonly type: ObjectType;
  readonly bytes: Uint8Array;
}

interface PackedObject {
  readonly oid: string;
  readonly crc: number;
  readonly offset: number;
}

/** As git's own packs. */
const UNSYNCED = { mode: 0o444, sync: false } as const;

/** Writes the objects as one durable pack; nothing that git reads is left of it when it throws. */
export async function writeSmallPack(
  storeGit: string,
  format: ObjectFormat,
  objects: readonly SmallObject[],
): Promise<void> {
  const folder = join(storeGit, 'objects', 'pack');
  const { pack, index, name } = renderSmallPack(format, objects);
  const temporary = join(folder, `tmp_pack_${randomUUID()}`);
  const temporaryIndex = join(folder, `tmp_idx_${randomUUID()}`);
  try {
    writeNewFile(temporary, pack, UNSYNCED);
    writeNewFile(temporaryIndex, index, UNSYNCED);
    // Both are written before the first is synced: the disk then mostly takes them in one go.
    await Promise.all([temporary, temporaryIndex].map(syncPath));
    moveEntry(temporary, join(folder, `${name}.pack`));
    moveEntry(temporaryIndex, join(folder, `${name}.idx`));
  } catch (error) {
    for (const path of [temporary, temporaryIndex]) rmSync(path, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** The bytes of a pack, of its index, and their common name. */
export function renderSmallPack(
  format: ObjectFormat,
  objects: readonly SmallObject[],
): { readonly pack: Buffer; readonly index: Buffer; readonly name: string } {
  const pieces: Buffer[] = [renderPackHeader(objects.length)];
  const packed: PackedObject[] = [];
  let offset = pieces[0]?.length ?? 0;
  for (const { type, bytes } of objects) {
    const piece = Buffer.concat([renderObjectHeader(type, bytes.length), deflateSync(bytes, COMPRESSION)]);
    packed.push({ oid: hashObject(format, type, bytes), crc: crc32(piece), offset });
    pieces.push(piece);
    offset += piece.length;
  }
  const body = Buffer.concat(pieces);
  const trailer = hash(format.name, body, 'hex');
  const pack = Buffer.concat([body, Buffer.from(trailer, 'hex')]);
  return { pack, index: renderIndex(format, packed, trailer), name: `pack-${trailer}` };
}

function renderIndex(format: ObjectFormat, packed: readonly PackedObject[], trailer: string): Buffer {
  const sorted = [...packed].sort((a, b) => (a.oid < b.oid ? -1 : 1));
  // How many ids have a first byte of at most this.
  const fanout = Buffer.alloc(256 * 4);
  let upTo = 0;
  for (let first = 0; first < 256; first += 1) {
    while (upTo < sorted.length && Number.parseInt((sorted[upTo]?.oid ?? '').slice(0, 2), 16) <= first) upTo += 1;
    fanout.writeUInt32BE(upTo, first * 4);
  }
  const crcs = Buffer.alloc(sorted.length * 4);
  const offsets = Buffer.alloc(sorted.length * 4);
  sorted.forEach(({ crc, offset }, position) => {
    crcs.writeUInt32BE(crc, position * 4);
    offsets.writeUInt32BE(offset, position * 4);
  });
  const head = Buffer.from('\u00fftOc\0\0\0\u0002', 'latin1');
  const oids = Buffer.from(sorted.map(({ oid }) => oid).join(''), 'hex');
  const body = Buffer.concat([head, fanout, oids, crcs, offsets, Buffer.from(trailer, 'hex')]);
  return Buffer.concat([body, Buffer.from(hash(format.name, body, 'hex'), 'hex')]);
}
