/**
 * The ways in, and whom each lets through.
 *
 * 1. Over TCP a request needs the token, and names this server as it was bound: a page of another site that points its own
 *    name at this machine does not get in, nor does one that sends requests here from where it is.
 * 2. Over the unix socket the file's permissions say who calls, and no browser does.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { Problem } from './problem.ts';

/** One way in. */
export interface Entrance {
  /** Judges a request before anything else looks at it; null lets it in. `isOpen`: of what needs no token. */
  judge(headers: Headers, isOpen: boolean): Problem | null;
}

export interface TcpEntranceOptions {
  readonly token: string;
  /** The host that was bound. */
  readonly host: string;
  /** Further names it is reached by (a proxy's). */
  readonly names?: readonly string[];
}

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** Over TCP. */
export function makeTcpEntrance({ token, host, names = [] }: TcpEntranceOptions): Entrance {
  const own = [...(isLoopback(host) ? LOOPBACK_NAMES : []), renderHost(host), ...names];
  const known = new Set(own.map((name) => name.toLowerCase()));
  const isAnyAddress = host === '0.0.0.0' || host === '::';
  const isOurs = (name: string): boolean => known.has(name) || (isAnyAddress && isAddress(name));
  const wanted = digestOf(token);
  return {
    judge(headers, isOpen) {
      const named = nameOf(headers.get('host'));
      if (named === null || !isOurs(named)) return forbid(`this server is not ${JSON.stringify(headers.get('host'))}`);
      const foreign = judgeOrigin(headers);
      if (foreign !== null || isOpen) return foreign;
      return isRight(headers.get('authorization'), wanted) ? null : refuseWithoutToken(headers);
    },
  };
}

/** Over the unix socket. */
export function makeSocketEntrance(): Entrance {
  return { judge: judgeOrigin };
}

/** Whether a host to bind is reached from this machine alone. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

/** A host as it stands in an address. */
export function renderHost(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

/** A page says where it is from; its scripts may only talk to where they came from. */
function judgeOrigin(headers: Headers): Problem | null {
  const origin = headers.get('origin');
  if (origin === null) return null;
  const isSame = URL.canParse(origin) && hostOf(new URL(origin)) === headers.get('host')?.toLowerCase();
  return isSame ? null : forbid(`pages of ${JSON.stringify(origin.slice(0, 200))} may not talk to this server`);
}

/** Opaque for anything but a web page. */
function hostOf({ protocol, host }: URL): string | null {
  return protocol === 'http:' || protocol === 'https:' ? host : null;
}

/** The name of a Host header, without its port; null when it is none. */
function nameOf(host: string | null): string | null {
  return /^(\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i.exec(host ?? '')?.[1]?.toLowerCase() ?? null;
}

function isAddress(name: string): boolean {
  return isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}

function forbid(message: string): Problem {
  return { code: 'forbidden', message };
}

function refuseWithoutToken(headers: Headers): Problem {
  const message = headers.has('authorization')
    ? 'the token is not that of this server; `ramet serve` prints the right one'
    : 'a token is needed: `Authorization: Bearer <token>`; `ramet serve` prints it';
  return { code: 'unauthorized', message, headers: { 'www-authenticate': 'Bearer realm="ramet"' } };
}

/** Digests are of one length: comparing them takes the same time whatever was sent. */
function isRight(authorization: string | null, wanted: Buffer): boolean {
  const given = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization ?? '')?.[1];
  return timingSafeEqual(digestOf(given ?? ''), wanted) && given !== undefined;
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
