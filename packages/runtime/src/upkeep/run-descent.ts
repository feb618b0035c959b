/**
 * Checks what a graph run says of its descent and its document: against itself, and against the parent where it still
 * exists.
 */
import { type EventOf, Failure, knownEvent, type RunOrigin } from '@ramet/core';
import { type FileStore, type LogOutline, type LogReader, readGraph, sha256 } from '../store/index.ts';
import type { Problem } from './verify.ts';

/** Checks the `forkedFrom` of a run's event 0. */
export function verifyRunDescent(
  store: FileStore,
  log: LogReader,
  outline: LogOutline,
): { readonly problems: readonly Problem[]; readonly count: number } {
  const origin = readStart(log)?.forkedFrom;
  // Nothing is said of what lies at or after a damage.
  if (origin === undefined || (outline.damage !== null && outline.damage.offset <= origin.offset)) {
    return { problems: [], count: origin === undefined ? 0 : 1 };
  }
  const messages = [...findOwnFaults(log, outline, origin), ...findParentFaults(store, log, origin)];
  return { problems: messages.map((message) => ({ kind: 'descent', message, offset: 0 })), count: 1 };
}

/** Checks that the document a run walks is there, and is the one it names. */
export function verifyDocument(store: FileStore, outline: LogOutline): readonly Problem[] {
  const hash = outline.heads[0]?.graph?.graph;
  if (hash === undefined) return [];
  try {
    readGraph(store.layout.home, hash);
    return [];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [{ kind: 'document', message: error.message, offset: 0 }];
  }
}

function readStart(log: LogReader): EventOf<'graph.start'> | null {
  for (const event of log.readEvents({ from: 0, to: 0 })) {
    const known = knownEvent(event);
    if (known?.type === 'graph.start') return known;
  }
  return null;
}

function findOwnFaults(log: LogReader, outline: LogOutline, origin: RunOrigin): readonly string[] {
  const { id, offset, digest, sourceEvent0Digest } = origin;
  const prev = outline.heads.find(({ first }) => first === 1)?.prev;
  // Of the source's event 0 the child holds nothing.
  const own = offset < 1 ? undefined : digestAt(log, offset);
  return [
    ...(prev === undefined || prev === sourceEvent0Digest
      ? []
      : [`event 0 says that event 1 points to ${sourceEvent0Digest}, it points to ${prev}`]),
    ...(own === undefined || own === digest
      ? []
      : [`the fork names digest ${digest} at offset ${offset}, it is ${own}`]),
    ...(id === log.id ? ['the fork names itself'] : []),
  ];
}

function findParentFaults(store: FileStore, log: LogReader, origin: RunOrigin): readonly string[] {
  const { id, offset, digest, fromNode } = origin;
  const parent = id === log.id ? null : store.read(id);
  const damage = parent?.readOutline().damage ?? null;
  // Of a parent that is damaged before the boundary nothing can be said.
  if (parent === null || (damage !== null && damage.offset <= offset + 1)) return [];
  const faults: string[] = [];
  const found = offset < 1 ? digest : digestAt(parent, offset);
  if (found !== digest) faults.push(`parent ${id} has digest ${found} at offset ${offset}, the fork names ${digest}`);
  const [boundary] = [...parent.readEvents({ from: offset + 1, to: offset + 1 })];
  if (boundary?.type !== 'node.enter' || boundary.node !== fromNode) {
    faults.push(`parent ${id} does not enter ${fromNode} at offset ${offset + 1}`);
  }
  return faults;
}

/** Of one line, without its newline. */
function digestAt(log: LogReader, offset: number): string | undefined {
  for (const bytes of log.readBytes({ from: offset, to: offset })) return sha256(bytes.subarray(0, -1));
  return undefined;
}
