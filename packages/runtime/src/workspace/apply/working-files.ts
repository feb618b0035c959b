/**
 * The person's files as git would store them, without storing them: read in their shadow, so no program of theirs runs.
 *
 * 1. What cannot be read, or is reached through a link, is not answered: it then counts as something of the person's.
 */
import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { locate } from '../checkpoint/folder/names.ts';
import type { BytePath, TreeSide } from '../checkpoint/index.ts';
import { git, splitLines } from '../git/index.ts';
import { type CheckoutView, hasWay, readSeen, type SeenEntry } from './overlap.ts';

export interface WorkingFile {
  /** Null: nothing stands there. */
  readonly side: TreeSide | null;
  /** What stood there before its content was read: who writes over it looks whether that is still so. */
  readonly seen: SeenEntry;
}

const TYPE_BITS = 0o170000n;
const [FILE, LINK] = [0o100000n, 0o120000n];

/** Reads files of the checkout; paths that hold neither a file, nor a link, nor nothing are left out. */
export async function readWorkingFiles(
  view: CheckoutView,
  paths: readonly BytePath[],
): Promise<ReadonlyMap<BytePath, WorkingFile>> {
  const { checkout } = view.repository;
  const found = new Map<BytePath, WorkingFile>();
  const present = new Map<BytePath, SeenEntry>();
  for (const path of paths) {
    if (!hasWay(checkout, path, new Set())) continue;
    const seen = readSeen(checkout, path);
    const type = seen === null ? null : seen.mode & TYPE_BITS;
    if (type === null) found.set(path, { side: null, seen });
    else if (type === FILE || type === LINK) present.set(path, seen);
  }
  const sides = await readSides(view, present);
  for (const [path, side] of sides) found.set(path, { side, seen: present.get(path) ?? null });
  return found;
}

async function readSides(
  view: CheckoutView,
  entries: ReadonlyMap<BytePath, SeenEntry>,
): Promise<Map<BytePath, TreeSide>> {
  const { checkout, objectFormat } = view.repository;
  const sides = new Map<BytePath, TreeSide>();
  const files: BytePath[] = [];
  for (const [path, seen] of entries) {
    if (seen === null || (seen.mode & TYPE_BITS) === FILE) files.push(path);
    else
      sides.set(path, { mode: '120000', oid: hashLink(readlinkSync(locate(checkout, path), 'buffer'), objectFormat) });
  }
  if (files.length === 0) return sides;
  // Not by way of an index: adding to one touches the objects that are there already, and those are the person's.
  const outcome = await git({
    ...view.shadow,
    args: ['hash-object', '--stdin-paths'],
    stdin: files.map((path) => `${quotePath(path)}\n`).join(''),
    okExitCodes: [0, 128],
  });
  if (outcome.exitCode !== 0) return sides;
  const ids = splitLines(outcome.stdout);
  files.forEach((path, at) => {
    const isRun = ((entries.get(path)?.mode ?? 0n) & 0o100n) !== 0n;
    sides.set(path, { mode: isRun ? '100755' : '100644', oid: ids[at] ?? '' });
  });
  return sides;
}

/** Every byte as an octal escape, which git reads in quotes. */
function quotePath(path: BytePath): string {
  const bytes = [...Buffer.from(path, 'latin1')].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`);
  return `"${bytes.join('')}"`;
}

function hashLink(target: Buffer, objectFormat: string): string {
  return createHash(objectFormat).update(`blob ${target.length}\0`).update(target).digest('hex');
}
