import { spawnSync } from 'node:child_process';
import { hash, randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hashObject } from '../../../src/workspace/checkpoint/objects/format.ts';
import { renderObjectHeader, renderPackHeader } from '../../../src/workspace/checkpoint/objects/pack.ts';
import { applyDelta } from '../../../src/workspace/checkpoint/restored/packs/delta.ts';
import { PackReader } from '../../../src/workspace/checkpoint/restored/packs/reader.ts';
import { makeBareRepository } from '../../../src/workspace/git/index.ts';

const FORMATS = [
  { name: 'sha1', rawLength: 20 },
  { name: 'sha256', rawLength: 32 },
] as const;
const PACKINGS: readonly (readonly string[])[] = [
  [],
  ['--delta-base-offset'],
  ['--window=0'],
  ['--delta-base-offset', '--depth=50', '--window=60'],
];
const LARGEST = 1024 * 1024;

interface Site {
  readonly gitDir: string;
  readonly packs: string;
  readonly blobs: ReadonlyMap<string, Buffer>;
}

/** Contents that become deltas of each other, chains of them, and ones that do not: empty, and without any pattern. */
function makeContents(): Buffer[] {
  const lines = Array.from({ length: 400 }, (_, line) => `line ${line}: ${'word '.repeat(line % 9)}\n`);
  const versions = Array.from({ length: 60 }, (_, version) => {
    lines[(version * 37) % lines.length] = `changed in ${version}\n`;
    return Buffer.from(lines.join(''));
  });
  return [
    ...versions,
    Buffer.alloc(0),
    randomBytes(1),
    randomBytes(70_000),
    randomBytes(LARGEST),
    Buffer.alloc(300_000),
  ];
}

function runGit(gitDir: string, args: readonly string[], input: string | Buffer = '', more = {}): string {
  const done = spawnSync('git', args, { env: { PATH: process.env.PATH, GIT_DIR: gitDir, ...more }, input });
  if (done.status !== 0) throw new Error(`git ${args.join(' ')}: ${done.stderr}`);
  return done.stdout.toString();
}

async function makeSite(format: (typeof FORMATS)[number], packing: readonly string[] = []): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'ramet-pack-reader-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const gitDir = join(folder, 'store.git');
  await makeBareRepository(gitDir, format.name);
  const blobs = new Map(makeContents().map((bytes) => [hashObject(format, 'blob', bytes), bytes]));
  for (const bytes of blobs.values()) runGit(gitDir, ['hash-object', '-w', '--stdin'], bytes);
  const packs = join(gitDir, 'objects', 'pack');
  runGit(gitDir, ['pack-objects', '-q', ...packing, join(packs, 'pack')], `${[...blobs.keys()].join('\n')}\n`);
  return { gitDir, packs, blobs };
}

interface Chain {
  readonly packs: string;
  /** By depth. */
  readonly blobs: readonly { readonly oid: string; readonly bytes: Buffer }[];
}

/** A pack in which each blob is a delta of the one before, and adds nothing but the given bytes. */
async function makeChain(additions: readonly Buffer[]): Promise<Chain> {
  const folder = mkdtempSync(join(tmpdir(), 'ramet-pack-reader-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const gitDir = join(folder, 'store.git');
  await makeBareRepository(gitDir, 'sha1');
  const contents = [Buffer.from('first'), ...additions];
  const pieces: Buffer[] = [renderPackHeader(contents.length)];
  for (const [depth, bytes] of contents.entries()) {
    const before = contents[depth - 1];
    const body = before === undefined ? bytes : renderDelta(before.length, bytes);
    const base = before === undefined ? [] : renderDistance(pieces.at(-1)?.length ?? 0);
    const header = renderObjectHeader('blob', body.length);
    // An offset delta instead of a blob.
    if (before !== undefined) header[0] = ((header[0] ?? 0) & 0x8f) | 0x60;
    pieces.push(Buffer.concat([header, Buffer.from(base), deflateSync(body)]));
  }
  const pack = Buffer.concat(pieces);
  runGit(gitDir, ['index-pack', '--stdin'], Buffer.concat([pack, Buffer.from(hash('sha1', pack, 'hex'), 'hex')]));
  const blobs = contents.map((bytes) => ({ oid: hashObject(FORMATS[0], 'blob', bytes), bytes }));
  return { packs: join(gitDir, 'objects', 'pack'), blobs };
}

/** A delta that takes nothing of its base. */
function renderDelta(baseSize: number, bytes: Buffer): Buffer {
  const pieces: Buffer[] = [Buffer.from([...renderSize(baseSize), ...renderSize(bytes.length)])];
  for (let at = 0; at < bytes.length; at += 127) {
    const piece = bytes.subarray(at, at + 127);
    pieces.push(Buffer.from([piece.length]), piece);
  }
  return Buffer.concat(pieces);
}

function renderSize(size: number): number[] {
  return size < 0x80 ? [size] : [(size % 128) | 0x80, ...renderSize(Math.floor(size / 128))];
}

function renderDistance(distance: number): number[] {
  const bytes = [distance & 0x7f];
  for (let rest = distance >> 7; rest > 0; rest >>= 7) {
    rest -= 1;
    bytes.unshift((rest & 0x7f) | 0x80);
  }
  return bytes;
}

function openReader(folders: readonly string[]): PackReader {
  const reader = new PackReader(folders, LARGEST);
  onTestFinished(() => reader.close());
  return reader;
}

function fileOf({ packs }: Site, end: string): string {
  return join(packs, readdirSync(packs).find((name) => name.endsWith(end)) ?? '');
}

describe('the reader of packs', () => {
  it.each(FORMATS.flatMap((format) => PACKINGS.map((packing) => ({ format, packing }))))(
    'reads every object git packed: %o',
    async ({ format, packing }) => {
      const { packs, blobs, gitDir } = await makeSite(format, packing);
      const reader = openReader(['/nowhere', packs]);
      const chains = runGit(gitDir, ['verify-pack', '-v', join(packs, readdirSync(packs)[0] ?? '')]);
      expect(chains.includes('chain length')).toBe(!packing.includes('--window=0'));
      for (const _ of [1, 2]) {
        for (const [oid, bytes] of blobs) expect(reader.readBlob(oid)?.equals(bytes), oid).toBe(true);
      }
    },
  );

  it('finds objects in whichever pack of whichever folder holds them', async () => {
    const one = await makeSite(FORMATS[0]);
    const other = await makeSite(FORMATS[0]);
    const reader = openReader([one.packs, other.packs]);
    for (const [oid, bytes] of [...one.blobs, ...other.blobs]) {
      expect(reader.readBlob(oid)?.equals(bytes), oid).toBe(true);
    }
  });

  it('has nothing to say of objects that are loose, missing, large, or no blobs', async () => {
    const { gitDir, packs } = await makeSite(FORMATS[0]);
    const write = (bytes: Buffer) => runGit(gitDir, ['hash-object', '-w', '--stdin'], bytes).trim();
    const large = write(Buffer.alloc(LARGEST + 1, 'large '));
    const tree = runGit(gitDir, ['mktree'], `100644 blob ${large}\tfile\n`).trim();
    runGit(gitDir, ['pack-objects', '-q', join(packs, 'pack')], `${large}\n${tree}\n`);
    const loose = write(Buffer.from('loose'));
    const reader = openReader([packs]);
    for (const oid of [large, tree, loose, '0'.repeat(40), 'f'.repeat(40)]) expect(reader.readBlob(oid)).toBeNull();
  });

  it('leaves to git what is behind more deltas, or larger ones, than it holds', async () => {
    const small = await makeChain(Array.from({ length: 51 }, () => randomBytes(100)));
    const large = await makeChain(Array.from({ length: 18 }, () => randomBytes(1_000_000)));
    const isRead = ({ packs, blobs }: Chain, depth: number) => {
      const { oid, bytes } = blobs[depth] ?? { oid: '', bytes: null };
      const read = openReader([packs]).readBlob(oid);
      if (read !== null) expect(read).toEqual(bytes);
      return read !== null;
    };
    expect([50, 51].map((depth) => isRead(small, depth))).toEqual([true, false]);
    expect([15, 18].map((depth) => isRead(large, depth))).toEqual([true, false]);
    const chains = [small, large].flatMap(({ packs, blobs }) =>
      blobs.map(({ oid }) => openReader([packs]).readType(oid)),
    );
    expect(new Set(chains)).toEqual(new Set(['blob']));
  });

  it('never throws, whatever a pack or its index holds', async () => {
    const site = await makeSite(FORMATS[0], ['--delta-base-offset']);
    const { packs, blobs } = site;
    for (const end of ['.pack', '.idx']) {
      const damaged = join(packs, `../damaged${end}`);
      mkdirSync(damaged);
      for (const name of ['.pack', '.idx']) copyFileSync(fileOf(site, name), join(damaged, `pack-1${name}`));
      const whole = readFileSync(join(damaged, `pack-1${end}`));
      for (let round = 0; round < 60; round += 1) {
        const bytes = Buffer.from(whole);
        if (round % 3 === 0) bytes.fill(round, Math.floor((bytes.length * round) / 60), undefined);
        else for (let at = round; at < bytes.length; at += 97) bytes[at] = (at * round) % 256;
        writeFileSync(join(damaged, `pack-1${end}`), round % 5 === 0 ? bytes.subarray(0, bytes.length / 2) : bytes);
        const reader = openReader([damaged]);
        for (const oid of blobs.keys()) {
          expect(() => [reader.readBlob(oid), reader.readType(oid), reader.has(oid)]).not.toThrow();
        }
      }
    }
  });
});

describe('a delta', () => {
  const base = Buffer.from('0123456789');

  it('is refused when it is of another base, reaches outside it, or makes another size than it says', () => {
    const deltas = {
      'of another base': [9, 1, 1, 65],
      'beyond the base': [10, 4, 0x91, 8, 4],
      'too short': [10, 5, 2, 65, 66],
      'too long': [10, 1, 2, 65, 66],
      'cut off': [10, 3, 3, 65],
      'with an order git keeps for later': [10, 1, 0, 65],
      'too large': [10, 0xff, 0x7f, 1, 65],
    };
    for (const [name, bytes] of Object.entries(deltas)) {
      expect(() => applyDelta(base, Buffer.from(bytes), 100), name).toThrow('does not fit');
    }
  });

  it('copies from its base and from itself', () => {
    expect(applyDelta(base, Buffer.from([10, 6, 0x91, 7, 3, 3, 65, 66, 67]), 100).toString()).toBe('789ABC');
  });
});

it.each(PACKINGS.map((packing) => ({ packing })))('knows the types of objects: %o', async ({ packing }) => {
  const { gitDir, packs, blobs } = await makeSite(FORMATS[0], packing);
  const identity = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a' };
  const make = (args: readonly string[], input = '') => runGit(gitDir, args, input, identity).trim();
  const lines = [...blobs.keys()].map((oid, at) => `100644 blob ${oid}\tf${at}\n`);
  const trees = [lines, lines.slice(1)].map((some) => make(['mktree'], some.join('')));
  const commits = trees.map((tree) => make(['commit-tree', '-m', 'message '.repeat(40), tree]));
  const tag = make(['mktag'], `object ${commits[0]}\ntype commit\ntag t\ntagger a <a> 0 +0000\n\nt\n`);
  const all = [...trees, ...commits, tag];
  runGit(gitDir, ['pack-objects', '-q', ...packing, join(packs, 'pack')], `${all.join('\n')}\n`);
  const reader = openReader([packs]);
  expect(all.map((oid) => reader.readType(oid))).toEqual(['tree', 'tree', 'commit', 'commit', 'tag']);
  for (const oid of blobs.keys()) expect(reader.readType(oid)).toBe('blob');
  expect(reader.readType('0'.repeat(40))).toBeNull();
});

it('knows which objects a pack names, while the pack is there', async () => {
  const { packs, blobs } = await makeSite(FORMATS[0]);
  const reader = openReader([packs]);
  for (const oid of blobs.keys()) expect(reader.has(oid)).toBe(true);
  expect(reader.has('0'.repeat(40))).toBe(false);
  for (const name of readdirSync(packs)) if (name.endsWith('.pack')) rmSync(join(packs, name));
  const without = openReader([packs]);
  for (const oid of blobs.keys()) expect([without.has(oid), without.readType(oid)]).toEqual([false, null]);
});

it('says whether it could look into every pack', async () => {
  const { packs } = await makeSite(FORMATS[0]);
  expect(openReader([packs, '/nowhere']).complete).toBe(true);
  writeFileSync(join(packs, 'pack-1.idx'), 'an index of another version');
  expect(openReader([packs]).complete).toBe(false);
});
