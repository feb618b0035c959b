import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { probeBubblewrap } from '../../src/sandbox/probe.ts';
import { openNetworkProxy } from '../../src/sandbox/proxy.ts';

const folder = mkdtempSync(join(tmpdir(), 'ramet-temporary-'));
const before = process.env.TMPDIR;

test.each(['missing', 'file', 'file/below'])(
  'a temporary folder that is none is named, and what to do: %s',
  async (name) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'file'), '');
    process.env.TMPDIR = join(folder, name);
    onTestFinished(() => {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
      rmSync(folder, { recursive: true, force: true });
    });
    const expected = { code: 'disk_failed', message: expect.stringMatching(/temporary folder in ".*": .*set TMPDIR/) };
    await expect(probeBubblewrap({ platform: 'linux', program: '/usr/bin/bwrap' })).rejects.toMatchObject(expected);
    await expect(openNetworkProxy(['example.org'])).rejects.toMatchObject(expected);
  },
);
