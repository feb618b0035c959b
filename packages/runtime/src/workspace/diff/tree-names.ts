import type { TreeSource } from '../checkpoint/index.ts';
import { hashObject, type ObjectFormat } from '../checkpoint/objects/format.ts';

/** A tree as git's commands name it. */
export function nameTree(source: TreeSource): string {
  if (source.kind === 'checkpoint') return `${source.id}:files`;
  return source.kind === 'commit' ? `${source.id}^{tree}` : source.id;
}

/** The tree without entries; git knows it without having it. */
export function emptyTree(format: ObjectFormat): TreeSource {
  return { kind: 'tree', id: hashObject(format, 'tree', Buffer.alloc(0)) };
}
