import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { makeScratchArea, writeFiles } from '@ramet/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { readInstructions } from '../../src/session/instructions.ts';

it.each(['AGENTS.md', ''])('instructions nobody may read are none, and the turn opens: mode 000 of "%s"', (closed) => {
  const area = makeScratchArea();
  writeFiles(area.folder, { 'workspace/AGENTS.md': 'SAID' });
  const workspace = join(area.folder, 'workspace');
  chmodSync(join(workspace, closed), 0o000);
  onTestFinished(() => {
    chmodSync(workspace, 0o700);
    area.remove();
  });
  if (process.geteuid?.() === 0 && process.seteuid !== undefined) {
    // The same answer for a folder that cannot be entered at all, which is what root's scratch area is to others.
    const { seteuid } = process;
    process.seteuid(65534);
    onTestFinished(() => seteuid.call(process, 0));
  }
  const { system, files } = readInstructions(workspace, '');
  expect(files).toEqual([]);
  expect(system).not.toContain('SAID');
});
