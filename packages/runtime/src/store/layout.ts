/** Where things lie below the state folder. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { RunId } from '@ramet/core';

/** Paths of one run, or of one being staged. */
export interface RunPaths {
  readonly folder: string;
  readonly log: string;
  readonly blobs: string;
  readonly lock: string;
  /** The agent's working tree. */
  readonly workspace: string;
  /** Ours, derived, out of the agent's reach. */
  readonly sandbox: string;
}

/** Paths of a state folder. */
export interface StateLayout {
  readonly home: string;
  readonly runs: string;
  readonly staging: string;
  readonly keys: string;
  readonly projects: string;
  /** Documents of graph runs, by hash. */
  readonly graphs: string;
}

/** The state folder: `RAMET_HOME`, else `XDG_STATE_HOME/ramet`, else `~/.local/state/ramet`. */
export function stateFolderOf(env: Readonly<Record<string, string | undefined>>): string {
  if (env.RAMET_HOME) return env.RAMET_HOME;
  const xdg = env.XDG_STATE_HOME;
  if (xdg && isAbsolute(xdg)) return join(xdg, 'ramet');
  return join(env.HOME || homedir(), '.local', 'state', 'ramet');
}

/** The layout of a state folder. */
export function layoutOf(home: string): StateLayout {
  const runs = join(home, 'runs');
  return {
    home,
    runs,
    staging: join(runs, '.staging'),
    keys: join(runs, '.keys'),
    projects: join(home, 'projects'),
    graphs: join(home, 'graphs'),
  };
}

/** The paths of a run below `runs/` or below `runs/.staging/`; lists ask for those of every run, so nothing is normalized. */
export function runPathsOf(parent: string, id: RunId): RunPaths {
  const folder = `${parent}/${id}`;
  return {
    folder,
    log: `${folder}/log`,
    blobs: `${folder}/blobs`,
    lock: `${folder}/lock`,
    workspace: `${folder}/workspace`,
    sandbox: `${folder}/sandbox`,
  };
}
