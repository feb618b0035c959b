import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal } from '@ramet/core';
import { makeScratchArea, runScript } from '@ramet/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { readConfiguration } from '../../src/config/index.ts';

it.each(['a FIFO', 'a device', 'a folder', 'a file without end'])(
  '%s for a ramet.json is refused at once',
  async (what) => {
    const area = makeScratchArea();
    onTestFinished(() => area.remove());
    const file = join(area.folder, 'ramet.json');
    if (what === 'a FIFO') await runScript(area.folder, 'mkfifo ramet.json');
    if (what === 'a device') symlinkSync('/dev/zero', file);
    if (what === 'a folder') mkdirSync(file);
    if (what === 'a file without end') {
      writeFileSync(file, '{');
      truncateSync(file, 2 ** 40);
    }
    const request = { env: { HOME: area.home }, home: area.folder, checkout: area.folder, trustProject: false };
    const refusal = readConfiguration(request);
    expect(isRefusal(refusal) && refusal.code).toBe('bad_config');
  },
);
