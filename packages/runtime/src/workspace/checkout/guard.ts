/** Folders that are no project, whatever `.git` lies in them. */
import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { type Refusal, refuse } from '@ramet/core/codes';

/** Refuses `/`, a home folder and what holds one as the top of a workspace. */
export async function refuseAbsurdRoot(checkout: string): Promise<Refusal | null> {
  const home = await realpath(homedir()).catch(() => homedir());
  if (checkout !== '/' && checkout !== home && !home.startsWith(`${checkout}/`)) return null;
  const what = checkout === '/' ? 'the whole file system' : 'a home folder, with keys and mail in it';
  return refuse(
    'workspace_too_large',
    `The repository at ${JSON.stringify(checkout)} is ${what}: a workspace is not made from it. ` +
      `Start in a repository below it, or allow home folders in the limits.`,
    { checkout, reason: 'home' },
  );
}
