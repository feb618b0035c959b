/**
 * The unix socket that local programs talk to.
 *
 * 1. It lies in a folder that only its owner enters: whoever reaches it is that person (or root). Node asks no socket who
 *    is at its other end, so this is all that says it.
 * 2. A path longer than the system allows is not cut: a short one in `$XDG_RUNTIME_DIR` takes its place, or there is none.
 */
import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, isAbsolute, join } from 'node:path';
import { Failure, type Refusal, refuse } from '@ramet/core';
import { sha256 } from '@ramet/runtime/store';

/** `sun_path` without its NUL: 108 bytes on Linux, 104 on macOS. */
const MAX_PATH_BYTES = process.platform === 'linux' ? 107 : 103;

export interface SocketPlace {
  /** The state folder; absolute. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Where the socket of a state folder is; null where its path would be too long and there is no shorter one. */
export function socketPathOf({ home, env }: SocketPlace): string | null {
  const own = join(home, 'daemon', 'socket');
  const runtime = env.XDG_RUNTIME_DIR;
  const short = runtime && isAbsolute(runtime) ? join(runtime, 'ramet', sha256(home).slice(0, 16)) : null;
  return [own, short].find((path) => path !== null && Buffer.byteLength(path) <= MAX_PATH_BYTES) ?? null;
}

/** Makes room for a socket: its folder is there and private, and no dead one lies in its place. Refuses where one is alive. */
export async function prepareSocket(path: string): Promise<Refusal | null> {
  makePrivateFolder(dirname(path));
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return null;
  if (await isAlive(path)) return refuse('owned_elsewhere', `another daemon listens on ${path}`, { socket: path });
  rmSync(path, { force: true });
  return null;
}

/** Nobody else connects, even where the folder's permissions are changed. */
export function closeToOthers(path: string): void {
  chmodSync(path, 0o600);
}

function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(path);
  if (uid === process.getuid?.() && (mode & 0o077) === 0) return;
  const message = `${path} must be a folder of yours that nobody else enters (chmod 700): the daemon's socket lies in it`;
  throw new Failure('state_unusable', message, { data: { path } });
}

function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const answer = (alive: boolean) => {
      socket.destroy();
      resolve(alive);
    };
    socket.once('connect', () => answer(true));
    socket.once('error', () => answer(false));
  });
}
