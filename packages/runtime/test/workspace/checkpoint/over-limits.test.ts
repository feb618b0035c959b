import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { runScript } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import { renderObjectHeader, renderPackHeader } from '../../../src/workspace/checkpoint/objects/pack.ts';
import { type CaptureLimits, DEFAULT_CAPTURE_LIMITS, type WorkspaceHandle } from '../../../src/workspace/types.ts';
import { makeSite, type Site } from './fixture.ts';

/** Captures, and returns why the git directory is unusable; the files must be in the checkpoint all the same. */
async function captureFiles(site: Site, workspace: WorkspaceHandle, more: Partial<CaptureLimits> = {}) {
  await runScript(workspace.path, 'echo kept >kept');
  const record = await site.capture(workspace, { limits: { ...DEFAULT_CAPTURE_LIMITS, ...more } });
  expect(record.git?.state).toBe('unusable');
  const child = await site.restore(record.id);
  expect(readFileSync(join(child, 'kept'), 'utf8')).toBe('kept\n');
  expect(listUnfinished(site)).toEqual([]);
  return record.git?.reason;
}

function listUnfinished({ project }: Site): string[] {
  const objects = join(project.storeGit, 'objects');
  const names = [...readdirSync(objects), ...readdirSync(join(objects, 'pack'))];
  return names.filter((name) => /^(?:tmp_|incoming-)/.test(name));
}

function renderSize(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) | 0x80);
  }
}

/** A delta that repeats its whole base, of a size copied by one order. */
function renderRepeat(baseSize: number, times: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(baseSize);
  const order = Buffer.from([0xf0, ...size.subarray(0, 3)]);
  return Buffer.concat([
    renderSize(baseSize),
    renderSize(baseSize * times),
    ...Array.from({ length: times }, () => order),
  ]);
}

/** A pack of a few hundred bytes whose last object has 1.2 GiB. */
function renderBomb(): Buffer {
  const pieces = [renderPackHeader(3)];
  const add = (kind: 'blob' | 'delta', content: Buffer, base: readonly number[]) => {
    const header = renderObjectHeader('blob', content.length);
    if (kind === 'delta') header[0] = ((header[0] ?? 0) & 0x8f) | (6 << 4);
    const piece = Buffer.concat([header, Buffer.from(base), deflateSync(content)]);
    pieces.push(piece);
    return piece.length;
  };
  const blobLength = add('blob', Buffer.alloc(2 ** 16 - 1), []);
  const deltaLength = add('delta', renderRepeat(2 ** 16 - 1, 240), renderDistance(blobLength));
  add('delta', renderRepeat((2 ** 16 - 1) * 240, 80), renderDistance(deltaLength));
  const body = Buffer.concat(pieces);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

function renderDistance(distance: number): number[] {
  return distance < 128 ? [distance] : [0x80 | ((distance >> 7) - 1), distance & 0x7f];
}

describe('a git directory that is more than a checkpoint takes', () => {
  it('is unusable for it when git needs too long to pack it', async () => {
    const site = await makeSite();
    const workspace = await site.addRun();
    await runScript(workspace.path, 'echo x >>a; git commit -qam private');
    expect(await captureFiles(site, workspace, { packTimeMs: 1 })).toContain('took longer than 1 ms');
    expect((await site.capture(workspace)).git).toBeUndefined();
  });

  it('is unusable for it when its objects are too large to be copied', async () => {
    const site = await makeSite();
    const workspace = await site.addRun('none');
    await runScript(workspace.path, 'echo x >>a; git commit -qam private');
    expect(await captureFiles(site, workspace, { packBytes: 100 })).toContain('more than 100 bytes');
    expect((await site.capture(workspace)).git).toBeUndefined();
  });

  it('is unusable for it when a pack of some hundred bytes stands for gigabytes', async () => {
    const site = await makeSite();
    const workspace = await site.addRun('none');
    const bomb = renderBomb();
    expect(bomb.length).toBeLessThan(4096);
    writeFileSync(join(workspace.path, '.git/objects/pack', `pack-${'1'.repeat(40)}.pack`), bomb);
    await runScript(workspace.path, `echo ${'2'.repeat(40)} >.git/refs/heads/bomb`);
    expect(await captureFiles(site, workspace)).toContain('a delta that makes more than 1 GiB');
  });

  it('is unusable for it when tags of tags do not end', async () => {
    const site = await makeSite();
    const workspace = await site.addRun();
    const makeTag = (index: number) =>
      `t=$(printf 'object %s\\ntype %s\\ntag t${index}\\ntagger a <a@b> 1 +0000\\n\\nm\\n' $t $k | git hash-object -t tag -w --stdin); k=tag`;
    await runScript(
      workspace.path,
      `t=$(git rev-parse HEAD); k=commit; ${Array.from({ length: 70 }, (_, index) => makeTag(index)).join('\n')}
      echo $t >.git/refs/tags/deep`,
    );
    expect(await captureFiles(site, workspace)).toContain('a chain of more than 64 tags');
  });

  it('is unusable for it when its files mention objects without end', async () => {
    const site = await makeSite();
    const workspace = await site.addRun();
    for (let file = 0; file < 3; file += 1) {
      const ids = Array.from({ length: 90_000 }, (_, id) => `${file}${String(id).padStart(39, '0')}`);
      writeFileSync(join(workspace.path, '.git', `notes-${file}`), ids.join('\n'));
    }
    expect(await captureFiles(site, workspace)).toContain('mention more than 262144 objects');
  });

  it('is unusable for it when a small index stands for gigabytes of names', async () => {
    const site = await makeSite();
    const workspace = await site.addRun();
    writeFileSync(join(workspace.path, '.git/index'), renderIndexOfLongNames(100_000, 3400));
    expect(await captureFiles(site, workspace)).toContain('its names are more than 256 MiB');
  });
});

/** Version 4: each name but the first takes the bytes in which it differs from the one before. */
function renderIndexOfLongNames(count: number, length: number): Buffer {
  const header = Buffer.from('DIRC\0\0\0\u0004\0\0\0\0', 'latin1');
  header.writeUInt32BE(count, 8);
  const entry = Buffer.alloc(62);
  entry.writeUInt32BE(0o100644, 24);
  entry.writeUInt16BE(0xfff, 60);
  const number = (index: number) => String(index).padStart(8, '0');
  const names = Array.from({ length: count }, (_, index) =>
    index === 0 ? `\0${'a'.repeat(length)}${number(0)}\0` : `\u0008${number(index)}\0`,
  );
  const body = Buffer.concat([header, ...names.flatMap((name) => [entry, Buffer.from(name, 'latin1')])]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

it('a pack that is refused leaves nothing in the store', async () => {
  const site = await makeSite();
  const workspace = await site.addRun();
  await runScript(
    workspace.path,
    `tree=$(git rev-parse HEAD^{tree})
    bad=$(printf 'tree %s\\nno author\\n\\nm\\n' $tree | git hash-object -t commit -w --literally --stdin); echo $bad >.git/refs/heads/bad`,
  );
  for (const _ of [1, 2]) await expect(site.capture(workspace)).rejects.toMatchObject({ code: 'checkpoint_failed' });
  expect(listUnfinished(site)).toEqual([]);
});

it('objects that the agent keeps as long chains of deltas reach the store as short ones', async () => {
  const site = await makeSite();
  const workspace = await site.addRun();
  const versions = Array.from({ length: 80 }, (_, version) => {
    const text = Array.from({ length: 300 }, (_, line) => (line < version ? `new ${line}` : `line ${line}`)).join('\n');
    return `commit refs/heads/long\ncommitter a <a@b> ${version} +0000\ndata 0\nM 100644 inline f\ndata ${text.length}\n${text}\n`;
  });
  writeFileSync(join(workspace.path, '.git', 'stream'), versions.join(''));
  await runScript(
    workspace.path,
    'git config pack.depth 4095; git -c fastimport.unpackLimit=1 fast-import --quiet --depth=4095 <.git/stream',
  );
  const longest = async (gitDir: string) => {
    const chains = await runScript(gitDir, 'git verify-pack -v objects/pack/pack-*.idx | grep "^chain length"');
    return Math.max(...[...chains.matchAll(/length = (\d+)/g)].map(([, length]) => Number(length)));
  };
  expect(await longest(join(workspace.path, '.git'))).toBeGreaterThan(50);
  expect((await site.capture(workspace)).git).toBeUndefined();
  expect(await longest(site.project.storeGit)).toBeLessThanOrEqual(50);
});
