/** The token that lets programs in over TCP. */
import { readFileSync, rmSync } from 'node:fs';
import { type Refusal, refuse } from '@ramet/core';
import { replaceFile } from '@ramet/runtime/store';
import { daemonPathsOf } from './record.ts';

/** Characters of a token that nobody guesses: 96 bits, where each is one of 64. */
const SHORTEST = 16;

const RANDOM_BYTES = 32;

export interface TokenOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly randomBytes: (count: number) => Uint8Array;
}

/** What may stand in a URL's fragment and a header as it is. */
const TOKEN = /^[\w.~+/=-]+$/;

/** The token of `RAMET_TOKEN`, or a new one that is kept beside the endpoint, readable by its owner alone. */
export function chooseToken(stateFolder: string, { env, randomBytes }: TokenOptions): string | Refusal {
  const given = env.RAMET_TOKEN;
  const { token: path } = daemonPathsOf(stateFolder);
  if (given !== undefined && given !== '') {
    rmSync(path, { force: true });
    if (given.length >= SHORTEST && TOKEN.test(given)) return given;
    return refuse('bad_usage', `RAMET_TOKEN must have at least ${SHORTEST} letters, digits or -._~+/=`);
  }
  const made = Buffer.from(randomBytes(RANDOM_BYTES)).toString('base64url');
  replaceFile(path, Buffer.from(`${made}\n`), { sync: false });
  return made;
}

/** The token for calling a daemon: that of the environment, else the one it made up; null when there is none. */
export function readToken(stateFolder: string, env: TokenOptions['env']): string | null {
  if (env.RAMET_TOKEN) return env.RAMET_TOKEN;
  try {
    return readFileSync(daemonPathsOf(stateFolder).token, 'utf8').trim();
  } catch {
    return null;
  }
}
