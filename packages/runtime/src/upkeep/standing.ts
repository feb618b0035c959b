/** Which checkout of a run's project a command of the person's acts on: the one they stand in. */
import { isRefusal, type Refusal, refuse } from '@ramet/core';
import { locateProject } from '../workspace/project/index.ts';
import type { Project } from '../workspace/types.ts';

export interface Standing {
  /** With the checkout to act on. */
  readonly project: Project;
  /** False: the person stands elsewhere, and `project.checkout` is where its repository was last found. */
  readonly isHere: boolean;
}

export interface StandingRequest {
  /** The state folder. */
  readonly home: string;
  /** The folder the person stands in. */
  readonly cwd: string;
  /** A checkout they named instead. */
  readonly checkout?: string;
}

/** Finds the checkout: of a moved repository or a linked worktree, too. Refuses with `no_workspace` one that was named and is another's. */
export async function findStanding(
  project: Project,
  { home, cwd, checkout }: StandingRequest,
): Promise<Standing | Refusal> {
  const found = await locateProject({ stateFolder: home, cwd: checkout ?? cwd });
  if (found !== null && !isRefusal(found) && found.id === project.id) return { project: found, isHere: true };
  if (checkout === undefined) return { project, isHere: false };
  if (isRefusal(found)) return found;
  const message = `${JSON.stringify(checkout)} is no checkout of the repository the session began in; that was last at ${JSON.stringify(project.checkout)}`;
  return refuse('no_workspace', message, { path: checkout, last: project.checkout });
}
