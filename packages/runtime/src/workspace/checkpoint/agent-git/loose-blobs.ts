/**
 * Reads blobs from loose object files of the agent's, as bytes: what `git add` makes. No git is asked, in the sandbox or
 * out of it, since a blob links to nothing: content that has the id is the content.
 *
 * 1. Only whole, regular files of a bounded size count, and no link is followed.
 * 2. What is no such blob is left to git, which says what is wrong with it.
 */
import { hash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import type { ObjectFormat } from '../objects/format.ts';
import { readRegularFile } from './git-files.ts';

const MOST_BLOBS = 200;
/** Of one blob with its header; few are larger, and packing those takes longer than starting git. */
const LONGEST_BYTES = 1024 * 1024;
const MOST_BYTES = 8 * 1024 * 1024;

/** The contents of those that are loose blobs in the workspace at `root`; nothing where they are many or large. */
export function readLooseBlobs(root: string, oids: readonly string[], format: ObjectFormat): Map<string, Buffer> {
  const blobs = new Map<string, Buffer>();
  if (oids.length > MOST_BLOBS) return blobs;
  let bytes = 0;
  for (const oid of oids) {
    const blob = readLooseBlob(root, oid, format);
    if (blob === null) continue;
    bytes += blob.length;
    if (bytes > MOST_BYTES) break;
    blobs.set(oid, blob);
  }
  return blobs;
}

function readLooseBlob(root: string, oid: string, { name }: ObjectFormat): Buffer | null {
  const file = readRegularFile(root, `.git/objects/${oid.slice(0, 2)}/${oid.slice(2)}`, LONGEST_BYTES);
  if (file === null) return null;
  try {
    const object = inflateSync(file.bytes, { maxOutputLength: LONGEST_BYTES });
    const end = object.indexOf(0);
    if (object.toString('latin1', 0, end) !== `blob ${object.length - end - 1}`) return null;
    return hash(name, object, 'hex') === oid ? object.subarray(end + 1) : null;
  } catch {
    // Damaged, or longer than it may be.
    return null;
  }
}
