/**
 * Checks what a log says of its descent (docs/log-format.md, L16): against itself, and against the parent where it
 * still exists.
 */
import type { ForkMark, RunId } from '@ramet/core';
import { type FileStore, type LogOutline, sha256 } from '../store/index.ts';
import type { Problem } from './verify.ts';

/** Checks every `session.fork` of a log, oldest first. */
export function verifyDescent(
  store: FileStore,
  outline: LogOutline,
): { readonly problems: readonly Problem[]; readonly count: number } {
  const problems: Problem[] = [];
  let holder = outline.heads[0]?.start?.id;
  let count = 0;
  outline.heads.forEach((head, segment) => {
    if (head.fork === undefined) return;
    for (const fork of outline.readDetail(segment).forks) {
      count += 1;
      const line = outline.readLine(segment, fork.position, fork.bytes) as { readonly prev?: unknown };
      const found = [...findOwnFaults(fork, line.prev, holder), ...findParentFaults(store, fork)];
      problems.push(...found.map((message) => ({ kind: 'descent' as const, message, offset: fork.offset })));
      holder = fork.id;
    }
  });
  return { problems, count };
}

function findOwnFaults(fork: ForkMark, prev: unknown, holder: RunId | undefined): readonly string[] {
  return [
    ...(fork.at === fork.offset - 1
      ? []
      : [`the fork at offset ${fork.offset} says it begins after offset ${fork.at}`]),
    ...(fork.digest === prev ? [] : [`the fork names digest ${fork.digest}, the line before it has ${String(prev)}`]),
    // Of a turn its parent had inherited, the lines before name an ancestor of the parent.
    ...(fork.parent === fork.id || fork.id === holder ? [`the fork at offset ${fork.offset} names itself`] : []),
  ];
}

function findParentFaults(store: FileStore, fork: ForkMark): readonly string[] {
  const parent = store.read(fork.parent)?.readOutline();
  // Of a parent that is damaged before that offset nothing can be said.
  if (parent === undefined || (parent.damage !== null && parent.damage.offset <= fork.at)) return [];
  const segment = parent.heads.findIndex((head) => fork.at >= head.first && fork.at < head.first + head.count);
  const mark = segment < 0 ? undefined : parent.readDetail(segment).boundaries.find(({ offset }) => offset === fork.at);
  if (mark === undefined) return [`parent ${fork.parent} has no turn that ends at offset ${fork.at}`];
  const digest = sha256(parent.readLineBytes(segment, mark.position, mark.bytes));
  return digest === fork.digest
    ? []
    : [`parent ${fork.parent} has digest ${digest} at offset ${fork.at}, the fork names ${fork.digest}`];
}
