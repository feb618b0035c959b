import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runScript } from '@ramet/testkit';
import { expect, it } from 'vitest';
import { makeSite } from './fixture.ts';

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
