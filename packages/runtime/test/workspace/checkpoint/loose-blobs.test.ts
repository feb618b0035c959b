/** Reading what `git add` made, without git: the same content, and nothing that is no loose blob of that id. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { readLooseBlobs } from '../../../src/workspace/checkpoint/agent-git/loose-blobs.ts';
import { hashObject } from '../../../src/workspace/checkpoint/objects/format.ts';

const FORMATS = [
  { name: 'sha1', rawLength: 20 },
  { name: 'sha256', rawLength: 32 },
] as const;
const [SHA1] = FORMATS;
const MIB = 1024 * 1024;

function makeRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'ramet-loose-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

function pathOf(root: string, oid: string): string {
  return join(root, '.git/objects', oid.slice(0, 2), oid.slice(2));
}

/** Puts bytes where the loose object of an id lies. */
function put(root: string, oid: string, bytes: Uint8Array): string {
  const path = pathOf(root, oid);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
  return path;
}

function deflateBlob(content: Buffer, header = `blob ${content.length}\0`): Buffer {
  return deflateSync(Buffer.concat([Buffer.from(header), content]));
}

it.each(FORMATS)('reads the very bytes that git itself stored, of $name', (format) => {
  const root = makeRoot();
  const env = { PATH: process.env.PATH };
  spawnSync('git', ['init', '-q', `--object-format=${format.name}`, root], { env });
  const contents = [Buffer.alloc(0), Buffer.from('text\n'), Buffer.from([0, 1, 255, 0]), Buffer.alloc(300_000, 'ab')];
  const oids = contents.map((input) =>
    spawnSync('git', ['hash-object', '-w', '--stdin'], { cwd: root, env, input }).stdout.toString().trim(),
  );
  expect(oids).toEqual(contents.map((content) => hashObject(format, 'blob', content)));
  expect(readLooseBlobs(root, oids, format)).toEqual(new Map(oids.map((oid, at) => [oid, contents[at]])));
});

const TEXT = Buffer.from('what was added\n');
const OID = hashObject(SHA1, 'blob', TEXT);

/** What an agent may put in the place of a loose blob. */
const HOSTILE: Readonly<Record<string, (root: string) => void>> = {
  'another content': (root) => put(root, OID, deflateBlob(Buffer.from('what was not\n'))),
  'a tree of that id': (root) => put(root, OID, deflateBlob(TEXT, `tree ${TEXT.length}\0`)),
  'another length': (root) => put(root, OID, deflateBlob(TEXT, `blob ${TEXT.length + 1}\0`)),
  'no header': (root) => put(root, OID, deflateSync(TEXT)),
  'bytes that are not compressed': (root) => put(root, OID, TEXT),
  nothing: (root) => put(root, OID, Buffer.alloc(0)),
  'the beginning of it': (root) => put(root, OID, deflateBlob(TEXT).subarray(0, -6)),
  'a link to the object': (root) => {
    const path = put(root, OID, deflateBlob(TEXT));
    renameSync(path, join(root, 'elsewhere'));
    symlinkSync(join(root, 'elsewhere'), path);
  },
  'a folder that is a link': (root) => {
    const folder = dirname(put(root, OID, deflateBlob(TEXT)));
    renameSync(folder, join(root, 'elsewhere'));
    symlinkSync(join(root, 'elsewhere'), folder);
  },
  'a pipe nobody writes to': (root) => {
    const path = put(root, OID, TEXT);
    rmSync(path);
    expect(spawnSync('sh', ['-c', 'mkfifo "$0"', path]).status).toBe(0);
  },
  'a folder': (root) => void mkdirSync(pathOf(root, OID), { recursive: true }),
};

it.each(Object.keys(HOSTILE))('leaves to git what holds %s', (what) => {
  const root = makeRoot();
  HOSTILE[what]?.(root);
  expect(readLooseBlobs(root, [OID], SHA1)).toEqual(new Map());
});

it('leaves a blob to git whose few bytes stand for very many', () => {
  const root = makeRoot();
  const content = Buffer.alloc(64 * MIB);
  const oid = hashObject(SHA1, 'blob', content);
  const path = put(root, oid, deflateBlob(content));
  expect(readFileSync(path).length).toBeLessThan(MIB);
  expect(readLooseBlobs(root, [oid], SHA1)).toEqual(new Map());
});

it('reads a file the agent may only read, and takes no more than a bounded number of bytes', () => {
  const root = makeRoot();
  const contents = Array.from({ length: 12 }, (_, at) => Buffer.alloc(MIB - 100, `${at} `));
  const oids = contents.map((content) => hashObject(SHA1, 'blob', content));
  for (const [at, oid] of oids.entries()) chmodSync(put(root, oid, deflateBlob(contents[at] ?? TEXT)), 0o400);
  expect([...readLooseBlobs(root, oids, SHA1).keys()]).toEqual(oids.slice(0, 8));
  const many = Array.from({ length: 201 }, (_, at) => hashObject(SHA1, 'blob', Buffer.from(`${at}`)));
  put(root, many[0] ?? '', deflateBlob(Buffer.from('0')));
  expect(readLooseBlobs(root, many.slice(0, 200), SHA1).size).toBe(1);
  expect(readLooseBlobs(root, many, SHA1).size).toBe(0);
});
