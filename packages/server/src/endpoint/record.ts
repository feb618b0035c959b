/**
 * Where the daemon of a state folder is found: `<state>/daemon/endpoint.json`, for programs of the same person.
 *
 * 1. It is a hint: one that a daemon which died left behind is there too. Whoever answers at that address is the daemon.
 * 2. No token is in it.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '@ramet/runtime/store';

/** Where a daemon listens, and who it is. */
export interface DaemonEndpoint {
  /** Like `http://127.0.0.1:18473`. */
  readonly url: string;
  /** Path of its unix socket; null where it has none. */
  readonly socket: string | null;
  readonly pid: number;
  /** RFC 3339. */
  readonly started: string;
  readonly version: string;
}

/** Files of the daemon below the state folder. */
export interface DaemonPaths {
  readonly folder: string;
  /** Its holder is the daemon of the state folder. */
  readonly lock: string;
  readonly endpoint: string;
  /** What a daemon made up that was given no token. */
  readonly token: string;
}

/** The daemon's files of a state folder. */
export function daemonPathsOf(stateFolder: string): DaemonPaths {
  const folder = join(stateFolder, 'daemon');
  const [lock, endpoint, token] = ['lock', 'endpoint.json', 'token'].map((name) => join(folder, name));
  return { folder, lock: lock ?? '', endpoint: endpoint ?? '', token: token ?? '' };
}

/** Reads where a daemon was last; null when nothing that can be understood says so. */
export function readEndpoint(stateFolder: string): DaemonEndpoint | null {
  try {
    const read: unknown = JSON.parse(readFileSync(daemonPathsOf(stateFolder).endpoint, 'utf8'));
    return isEndpoint(read) ? read : null;
  } catch {
    return null;
  }
}

/** Says where the daemon is. */
export function writeEndpoint(stateFolder: string, endpoint: DaemonEndpoint): void {
  const bytes = Buffer.from(`${JSON.stringify(endpoint)}\n`);
  replaceFile(daemonPathsOf(stateFolder).endpoint, bytes, { sync: false });
}

/** Says that there is none any more, and forgets the token it made up. */
export function removeEndpoint(stateFolder: string): void {
  const { endpoint, token } = daemonPathsOf(stateFolder);
  for (const path of [endpoint, token]) rmSync(path, { force: true });
}

function isEndpoint(value: unknown): value is DaemonEndpoint {
  const { url, socket, pid, started, version } = (value ?? {}) as Readonly<Record<keyof DaemonEndpoint, unknown>>;
  const isSocket = socket === null || typeof socket === 'string';
  return isSocket && typeof pid === 'number' && [url, started, version].every((text) => typeof text === 'string');
}
