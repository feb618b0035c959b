/**
 * The files of the browser interface.
 *
 * 1. What is served was listed and read once, at the start, and is found by its exact name: no path leaves the folder.
 * 2. A link, or anything else that is no regular file, is not served.
 */
import { createHash } from 'node:crypto';
import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';

/** One file, ready to be sent. */
export interface SiteFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly etag: string;
  /** Compressed beforehand, by the name of its encoding, the best first. */
  readonly encoded: readonly (readonly [encoding: string, bytes: Uint8Array<ArrayBuffer>])[];
  /** Its name changes with its content. */
  readonly isHashed: boolean;
}

/** By path in the site, with a slash at its beginning. */
export type SiteFiles = ReadonlyMap<string, SiteFile>;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
};

const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** Reads the files of a folder; null when it has no `index.html`. */
export function readSiteFiles(folder: string): SiteFiles | null {
  const paths = listRegular(folder);
  const files = new Map(paths.map((path) => [`/${relative(folder, path)}`, readBytes(path)]));
  if (!files.has('/index.html')) return null;
  const served = [...files].filter(([path]) => !ENCODINGS.some(([, suffix]) => path.endsWith(suffix)));
  return new Map(served.map(([path, bytes]) => [path, describeFile(path, bytes, files)]));
}

/** Folder by folder: a recursive listing of Node's goes through links to folders. */
function listRegular(folder: string): readonly string[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listRegular(path);
    return entry.isFile() ? [path] : [];
  });
}

function readBytes(path: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(path));
}

function describeFile(
  path: string,
  bytes: Uint8Array<ArrayBuffer>,
  files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
): SiteFile {
  return {
    bytes,
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    encoded: ENCODINGS.flatMap(([encoding, suffix]) => {
      const found = files.get(`${path}${suffix}`);
      return found === undefined ? [] : [[encoding, found] as const];
    }),
    isHashed: path.startsWith('/assets/'),
  };
}
