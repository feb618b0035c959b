/**
 * git's index file as bytes (versions 2 to 4, split and sparse ones included). Format: gitformat-index(5).
 *
 * 1. Runs no git and trusts nothing: whatever does not parse throws `IndexDamaged`.
 * 2. `normalised` is the same index without what belongs to one machine and moment: stat fields are zero, and the
 *    untracked cache, the file system monitor's state and offset tables (all of them caches) are gone. git then
 *    compares content instead of trusting times.
 */
import { hash } from 'node:crypto';
import type { BytePath } from '../folder/names.ts';
import type { ObjectFormat } from '../objects/format.ts';
import { parseEwah } from './ewah.ts';

export interface IndexEntry extends EntryState {
  /** Empty for an entry of a split index that replaces one of the shared index. */
  readonly path: BytePath;
  readonly mode: number;
  readonly oid: string;
  /** Where the entry's stat fields begin in the file. */
  readonly offset: number;
}

/** What an entry says of the file git saw. */
export interface EntryState {
  /** 0, or 1 to 3 in a conflict. */
  readonly stage: number;
  readonly intentToAdd: boolean;
  readonly stat: IndexStat;
}

/** The stat fields git compares; whole seconds, sizes modulo 2^32. */
export interface IndexStat {
  readonly ctimeSeconds: number;
  readonly mtimeSeconds: number;
  readonly ino: number;
  readonly size: number;
}

/** What a split index says of the shared index it builds on. */
export interface SharedIndexLink {
  /** Null when it builds on none. */
  readonly base: string | null;
  readonly deleted: ReadonlySet<number>;
  readonly replaced: ReadonlySet<number>;
  /** Where the shared index's name lies in `normalised`. */
  readonly offset: number;
}

export interface ParsedIndex {
  readonly entries: readonly IndexEntry[];
  /** Objects named by the cached trees and by the resolve-undo records. */
  readonly cachedTrees: readonly string[];
  readonly undo: readonly string[];
  readonly link: SharedIndexLink | null;
  readonly normalised: Buffer;
}

export class IndexDamaged extends Error {}

/** Each entry takes some hundred bytes of ours; a sparse file of a few KiB can claim millions. */
export const MOST_ENTRIES = 1 << 20;

/** In all: a byte of version 4 can repeat a name of thousands. A million names of a large repository are half of it. */
const MOST_NAME_BYTES = 256 * 1024 * 1024;

const HEADER_BYTES = 12;
const STAT_BYTES = 40;
/** Offset of the mode in the stat fields; everything around it is zeroed. */
const MODE_OFFSET = 24;
/** A flag: two more bytes of flags follow. */
const EXTENDED = 0x4000;
const DROPPED = new Set(['UNTR', 'FSMN', 'EOIE', 'IEOT']);

/** Parses an index. */
export function parseIndex(bytes: Buffer, format: ObjectFormat): ParsedIndex {
  try {
    return parse(bytes, format);
  } catch (error) {
    if (error instanceof RangeError) throw new IndexDamaged('it ends too early');
    throw error;
  }
}

function parse(bytes: Buffer, format: ObjectFormat): ParsedIndex {
  if (bytes.toString('latin1', 0, 4) !== 'DIRC') throw new IndexDamaged('it does not begin with DIRC');
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) throw new IndexDamaged(`its version is ${version}`);
  const end = bytes.length - format.rawLength;
  const { entries, next } = readEntries(bytes, version, format);
  const normalised = Buffer.from(bytes);
  // One loop over bytes: two calls for each entry of a large index take longer.
  for (const { offset } of entries) {
    for (let at = offset; at < offset + STAT_BYTES; at += 1) {
      if (at < offset + MODE_OFFSET || at >= offset + MODE_OFFSET + 4) normalised[at] = 0;
    }
  }
  const extensions = readExtensions(bytes, next, end);
  const kept = extensions.filter((extension) => !DROPPED.has(extension.name));
  const pieces = kept.map((extension) => bytes.subarray(extension.start, extension.stop));
  const body = Buffer.concat([normalised.subarray(0, next), ...pieces]);
  const find = (name: string) => kept.find((extension) => extension.name === name)?.content ?? null;
  const linkAt = kept.findIndex((extension) => extension.name === 'link');
  const linkOffset = pieces.slice(0, Math.max(linkAt, 0)).reduce((sum, piece) => sum + piece.length, next + 8);
  return {
    entries,
    cachedTrees: readCachedTrees(find('TREE'), format),
    undo: readUndo(find('REUC'), format),
    link: readLink(find('link'), format, linkOffset),
    normalised: withChecksum(body, format),
  };
}

/** Puts the trailing checksum behind an index's body. */
export function withChecksum(body: Buffer, format: ObjectFormat): Buffer {
  return Buffer.concat([body, Buffer.from(hash(format.name, body, 'hex'), 'hex')]);
}

/** A normalised index, built on a shared index of another name. */
export function relinkIndex(index: ParsedIndex, format: ObjectFormat, base: string): Buffer {
  if (index.link === null) return index.normalised;
  const body = Buffer.from(index.normalised.subarray(0, index.normalised.length - format.rawLength));
  Buffer.from(base, 'hex').copy(body, index.link.offset);
  return withChecksum(body, format);
}

function readEntries(bytes: Buffer, version: number, format: ObjectFormat): { entries: IndexEntry[]; next: number } {
  const count = bytes.readUInt32BE(8);
  if (count > MOST_ENTRIES) throw new IndexDamaged(`it names ${count} files, at most ${MOST_ENTRIES} are supported`);
  const end = bytes.length - format.rawLength;
  const entries: IndexEntry[] = [];
  let at = HEADER_BYTES;
  let previous = '';
  let nameBytes = 0;
  for (let position = 0; position < count; position += 1) {
    const flagsAt = at + STAT_BYTES + format.rawLength;
    const isExtended = (bytes.readUInt16BE(flagsAt) & EXTENDED) !== 0;
    const nameAt = flagsAt + (isExtended ? 4 : 2);
    const named = version === 4 ? readShortName(bytes, nameAt, previous) : readPaddedName(bytes, at, nameAt);
    if (named.next > end) throw new IndexDamaged('it ends too early');
    entries.push(readEntry(bytes, at, { path: named.path, format }));
    previous = named.path;
    nameBytes += named.path.length;
    if (nameBytes > MOST_NAME_BYTES) throw new IndexDamaged('its names are more than 256 MiB');
    at = named.next;
  }
  return { entries, next: at };
}

/** Reads what one entry says of its file; `at` is the entry's offset. */
export function readEntryState(bytes: Buffer, at: number, format: ObjectFormat): EntryState {
  const flagsAt = at + STAT_BYTES + format.rawLength;
  const flags = bytes.readUInt16BE(flagsAt);
  return {
    stage: (flags >> 12) & 3,
    intentToAdd: (flags & EXTENDED) !== 0 && (bytes.readUInt16BE(flagsAt + 2) & 0x2000) !== 0,
    stat: {
      ctimeSeconds: bytes.readUInt32BE(at),
      mtimeSeconds: bytes.readUInt32BE(at + 8),
      ino: bytes.readUInt32BE(at + 20),
      size: bytes.readUInt32BE(at + 36),
    },
  };
}

function readEntry(bytes: Buffer, at: number, { path, format }: { path: BytePath; format: ObjectFormat }): IndexEntry {
  const oidAt = at + STAT_BYTES;
  const { stage, intentToAdd, stat } = readEntryState(bytes, at, format);
  const mode = bytes.readUInt32BE(at + MODE_OFFSET);
  const oid = bytes.toString('hex', oidAt, oidAt + format.rawLength);
  return { path, mode, oid, stage, intentToAdd, stat, offset: at };
}

/** Versions 2 and 3: the whole name, then 1 to 8 NULs up to a multiple of 8 bytes. */
function readPaddedName(bytes: Buffer, at: number, nameAt: number): { path: string; next: number } {
  const stop = bytes.indexOf(0, nameAt);
  if (stop < 0) throw new IndexDamaged('a name does not end');
  return { path: bytes.toString('latin1', nameAt, stop), next: at + ((stop - at + 8) & ~7) };
}

/** Version 4: how many bytes to drop from the previous name, then the rest of this one. */
function readShortName(bytes: Buffer, nameAt: number, previous: string): { path: string; next: number } {
  const { value, next } = readOffsetVarint(bytes, nameAt);
  const stop = bytes.indexOf(0, next);
  if (stop < 0 || value > previous.length) throw new IndexDamaged('a name does not end');
  return { path: previous.slice(0, previous.length - value) + bytes.toString('latin1', next, stop), next: stop + 1 };
}

function readOffsetVarint(bytes: Buffer, at: number): { value: number; next: number } {
  let next = at;
  let byte = bytes.readUInt8(next);
  let value = byte & 127;
  while ((byte & 128) !== 0) {
    next += 1;
    byte = bytes.readUInt8(next);
    value = (value + 1) * 128 + (byte & 127);
  }
  return { value, next: next + 1 };
}

interface Extension {
  readonly name: string;
  readonly start: number;
  readonly stop: number;
  readonly content: Buffer;
}

function readExtensions(bytes: Buffer, from: number, end: number): Extension[] {
  const extensions: Extension[] = [];
  for (let start = from; start < end; ) {
    const stop = start + 8 + bytes.readUInt32BE(start + 4);
    if (stop > end) throw new IndexDamaged('an extension does not end');
    extensions.push({
      name: bytes.toString('latin1', start, start + 4),
      start,
      stop,
      content: bytes.subarray(start + 8, stop),
    });
    start = stop;
  }
  return extensions;
}

/** Cached trees: path, NUL, `<entries> <subtrees>` in ASCII, newline, and an id unless entries is -1. */
function readCachedTrees(content: Buffer | null, format: ObjectFormat): string[] {
  const trees: string[] = [];
  for (let at = 0; content !== null && at < content.length; ) {
    const nul = content.indexOf(0, at);
    const newline = content.indexOf(0x0a, nul);
    if (nul < 0 || newline < 0) throw new IndexDamaged('a cached tree does not end');
    at = newline + 1;
    if (content[nul + 1] === 0x2d) continue;
    trees.push(content.toString('hex', at, at + format.rawLength));
    at += format.rawLength;
  }
  return trees;
}

/** Resolve-undo: path, NUL, three modes in ASCII octal each with NUL, then an id for each mode that is not 0. */
function readUndo(content: Buffer | null, format: ObjectFormat): string[] {
  const oids: string[] = [];
  for (let at = 0; content !== null && at < content.length; ) {
    at = endOfText(content, at);
    let present = 0;
    for (let stage = 0; stage < 3; stage += 1) {
      const stop = endOfText(content, at);
      if (Number.parseInt(content.toString('latin1', at, stop - 1), 8) !== 0) present += 1;
      at = stop;
    }
    for (; present > 0; present -= 1) {
      oids.push(content.toString('hex', at, at + format.rawLength));
      at += format.rawLength;
    }
  }
  return oids;
}

function endOfText(content: Buffer, at: number): number {
  const nul = content.indexOf(0, at);
  if (nul < 0) throw new IndexDamaged('a resolve-undo record does not end');
  return nul + 1;
}

function readLink(content: Buffer | null, format: ObjectFormat, offset: number): SharedIndexLink | null {
  if (content === null) return null;
  const name = content.toString('hex', 0, format.rawLength);
  const base = /^0+$/.test(name) ? null : name;
  if (content.length === format.rawLength) return { base, deleted: new Set(), replaced: new Set(), offset };
  const deleted = parseEwah(content, format.rawLength);
  const replaced = parseEwah(content, deleted.next);
  return { base, deleted: deleted.bits, replaced: replaced.bits, offset };
}
