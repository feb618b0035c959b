/**
 * The conversations of one path, from the marks of its entries and exits. One goes on over attempts that were cut off or
 * interrupted; after a failure, and in a fork, the node begins another (W18).
 */
import type { NodePath } from '../../events/index.ts';
import type { NodeMark } from '../../log/index.ts';
import type { FoundNode } from '../run/boundary.ts';
import type { RunForkSource } from '../run/types.ts';

/** Entries of a path that go on with each other; `exit` is null while the node is not done. */
export interface NodeConversation {
  readonly entries: readonly NodeMark[];
  readonly exit: FoundNode | null;
}

/** The conversations of a path, in the order of the log. */
export function listConversations(source: RunForkSource, path: NodePath): readonly NodeConversation[] {
  const inheritedThrough = source.heads[0]?.graph?.forkedFrom?.offset ?? -1;
  const found: { entries: NodeMark[]; exit: FoundNode | null }[] = [];
  for (const { mark, segment } of marksOf(source, path)) {
    const last = found.at(-1);
    if (mark.type === 'enter') {
      const isOpen = last !== undefined && last.exit === null;
      const isCut = mark.offset > inheritedThrough && (last?.entries[0]?.offset ?? 0) <= inheritedThrough;
      if (isOpen && !isCut) last.entries.push(mark);
      else found.push({ entries: [mark], exit: null });
    } else if (last !== undefined && mark.outcome !== 'interrupted') last.exit ??= { mark, segment };
  }
  return found;
}

function* marksOf(source: RunForkSource, path: NodePath): Generator<FoundNode> {
  for (const [segment, { walk }] of source.heads.entries()) {
    if (walk === undefined) continue;
    for (const mark of source.readDetail(segment).nodes) {
      if (mark.node === path && mark.type !== 'skip') yield { mark, segment };
    }
  }
}
