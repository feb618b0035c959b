import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '@ramet/core';
import { acquireLock } from '../../store/index.ts';
import type { Project } from '../../workspace/types.ts';

const TRIES = 200;

/**
 * Runs work while garbage collection of the project is kept out: from before a checkpoint is taken until the event that
 * names it is durable.
 */
export async function withProjectShared<T>(project: Project, work: () => Promise<T>): Promise<T> {
  const path = join(project.folder, 'lock');
  closeSync(openSync(path, 'a', 0o600));
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const lock = await acquireLock(path, 'shared');
    if (lock === null) continue;
    try {
      return await work();
    } finally {
      lock.release();
    }
  }
  throw new Failure(
    'state_unusable',
    `garbage collection of project ${project.id} has not ended for a minute; try again`,
  );
}
