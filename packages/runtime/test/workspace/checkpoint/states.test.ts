import { cpSync } from 'node:fs';
import { FOLDER_STATES, REPOSITORY_STATES, runScript, takeFingerprint } from '@ramet/testkit';
import { describe, expect, it } from 'vitest';
import { verifyCheckpoint, workspaceDiffers } from '../../../src/workspace/checkpoint/index.ts';
import { makeRequest, makeSite, type Site } from './fixture.ts';

/** Captures and restores a state twice (the second time from the child), and compares every fingerprint. */
async function roundTrip(site: Site, make: string): Promise<{ source: string; checkpoint: string }> {
  const workspace = await site.addRun();
  await runScript(workspace.path, make);
  const before = await takeFingerprint(workspace.path);
  const record = await site.capture(workspace);
  expect(await takeFingerprint(workspace.path), 'the source is untouched').toEqual(before);
  expect(record.leftOut).toEqual([]);
  expect(await verifyCheckpoint({ project: site.project, checkpoint: record.id })).toEqual([]);
  const child = await site.restore(record.id);
  expect(await takeFingerprint(child)).toEqual(before);
  const again = await site.capture(site.handle(child));
  const grandchild = await site.restore(again.id);
  expect(await takeFingerprint(grandchild)).toEqual(before);
  const differs = { ...makeRequest(site.handle(grandchild)), checkpoint: again.id };
  expect(await workspaceDiffers(differs)).toBe(false);
  return { source: workspace.path, checkpoint: again.id };
}

describe('a restored workspace has the fingerprint of the captured one', () => {
  for (const [name, state] of Object.entries(REPOSITORY_STATES)) {
    it(`with ${name}`, async () => {
      const site = await makeSite();
      const { source, checkpoint } = await roundTrip(site, state.make);
      for (const [position, command] of (state.after ?? []).entries()) {
        const copy = `${source}-${position}`;
        cpSync(source, copy, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
        // A copy's files have other inodes than its index says; a restored workspace must work without this.
        await runScript(copy, 'git update-index -q --refresh || true');
        await runScript(copy, command);
        const child = await site.restore(checkpoint);
        await runScript(child, command);
        expect(await takeFingerprint(child), command).toEqual(await takeFingerprint(copy));
      }
    });
  }
  for (const [name, make] of Object.entries(FOLDER_STATES)) {
    it(`with ${name}`, async () => {
      await roundTrip(await makeSite(), make);
    });
  }
});
