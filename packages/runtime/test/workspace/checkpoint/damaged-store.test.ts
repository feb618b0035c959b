import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runScript } from '@ramet/testkit';
import { expect, it } from 'vitest';
import { hashObject } from '../../../src/workspace/checkpoint/objects/format.ts';
import { renderSmallPack } from '../../../src/workspace/checkpoint/objects/small-pack.ts';
import { PackReader } from '../../../src/workspace/checkpoint/restored/packs/reader.ts';
import { makeSite } from './fixture.ts';

const SHA1 = { name: 'sha1', rawLength: 20 } as const;

const PIECES = 10;

/** Copies of a file of a pack, each damaged at another place, and short ones. */
function* damage(whole: Buffer): Generator<Buffer> {
  for (let piece = 0; piece < PIECES; piece += 1) {
    const at = Math.floor((whole.length * piece) / PIECES);
    const bytes = Buffer.from(whole);
    bytes.fill(0xff, at, Math.min(at + 16, bytes.length));
    yield bytes;
  }
  yield whole.subarray(0, whole.length >> 1);
}

it.each(['.pack', '.idx'])(
  'a checkpoint of a store with a damaged %s comes back as it was or fails as a restore',
  async (end) => {
    const site = await makeSite();
    const workspace = await site.addRun();
    await runScript(
      workspace.path,
      'for i in 1 2 3 4 5 6 7 8; do mkdir d$i; seq $i 300 >d$i/f; done; git add .; git commit -qm many; echo x >>d1/f',
    );
    const { id } = await site.capture(workspace);
    const files = async (path: string) =>
      runScript(path, 'find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 sha256sum');
    const before = await files(workspace.path);
    const packs = join(site.project.storeGit, 'objects', 'pack');
    const ends: string[] = [];
    for (const path of readdirSync(packs)
      .filter((name) => name.endsWith(end))
      .map((name) => join(packs, name))) {
      const whole = readFileSync(path);
      chmodSync(path, 0o600);
      for (const bytes of damage(whole)) {
        writeFileSync(path, bytes);
        const child = await site.restore(id).catch((error: { code: string }) => error);
        if (typeof child === 'string') expect(await files(child)).toBe(before);
        ends.push(typeof child === 'string' ? 'restored' : child.code);
      }
      writeFileSync(path, whole);
      expect(statSync(path).size).toBe(whole.length);
    }
    expect(ends.filter((code) => !['restored', 'checkpoint_missing', 'restore_failed'].includes(code))).toEqual([]);
    expect(new Set(ends).size, 'damage is met').toBeGreaterThan(1);
    expect(await files(await site.restore(id))).toBe(before);
  },
);

it('a file comes back although a pack has other content under its name, while another copy is there', async () => {
  const site = await makeSite({
    script: 'git init -q -b main . && echo right >file && git add . && git commit -qm one',
  });
  const { id } = await site.capture(await site.addRun());
  const [right, wrong] = ['right\n', 'wrong\n'].map((text) => Buffer.from(text));
  const packs = join(site.project.storeGit, 'objects', 'pack');
  // The reader of packs looks into the store first; the right copy is in `base.git`.
  const pack = (bytes: Buffer | undefined) =>
    renderSmallPack(SHA1, [{ type: 'blob', bytes: bytes ?? Buffer.alloc(0) }]);
  const { name, index } = pack(right);
  writeFileSync(join(packs, `${name}.pack`), pack(wrong).pack);
  writeFileSync(join(packs, `${name}.idx`), index);
  const reader = new PackReader([packs], 100);
  expect(reader.readBlob(hashObject(SHA1, 'blob', right ?? Buffer.alloc(0)))).toEqual(wrong);
  reader.close();
  expect(readFileSync(join(await site.restore(id), 'file'), 'utf8')).toBe('right\n');
});
