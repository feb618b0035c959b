/** What follows when something has failed for good: nodes at work in it are stopped, then it fails as a whole (W8). */
import type { ErrorInfo } from '../../../events/index.ts';
import { draftFailedExit } from '../exit.ts';
import { hasUnknownCall } from '../standing.ts';
import { keysAround } from '../state/failures.ts';
import { type FailingPart, failPart, type Walk } from './walk.ts';

/** Fails the run itself. */
export function failRun(walk: Walk, error: ErrorInfo): void {
  failPart(walk, { part: { kind: 'run', key: '', nodes: [] }, error, final: true });
}

/** Records that nodes in a failing part were stopped when nobody drives them any more. */
export function stopLeft(walk: Walk): void {
  if (walk.failing.size === 0) return;
  for (const node of walk.left) {
    const { path, attempt, body } = node;
    if (hasUnknownCall(node) || !keysAround(body).some((key) => walk.failing.has(key))) continue;
    walk.drafts.push({ type: 'node.exit', node: path, attempt, outcome: 'interrupted' });
  }
}

/** Fails the parts in which nothing is at work and nothing else fails; the run last. */
export function endFailedParts(walk: Walk): void {
  if (walk.failing.size === 0) return;
  const blocked = listBlocked(walk);
  for (const failing of walk.failing.values()) {
    if (!blocked.has(failing.part.key) && failing.part.kind !== 'run') endPart(walk, failing);
  }
  const run = walk.failing.get('');
  if (run !== undefined && !blocked.has('')) walk.drafts.push({ type: 'run.fail', error: run.error });
}

/** Keys of parts in which a node is at work, or another part fails. */
function listBlocked(walk: Walk): ReadonlySet<string> {
  const blocked = new Set<string>();
  for (const { body } of walk.driven) for (const key of keysAround(body)) blocked.add(key);
  for (const node of walk.left) {
    // A call that waits for a person's word would be lost with its item; elsewhere the node stays, and can wait on.
    const keys = keysAround(node.body).filter(
      (key) => !hasUnknownCall(node) || walk.failing.get(key)?.part.kind === 'item',
    );
    for (const key of keys) blocked.add(key);
  }
  for (const { part } of walk.failing.values()) {
    if (part.kind === 'run') continue;
    const owner = part.kind === 'item' ? part.body.owner : part.owner;
    for (const key of owner === null ? [] : keysAround(owner.body)) blocked.add(key);
  }
  return blocked;
}

function endPart(walk: Walk, { part, error, final }: FailingPart): void {
  if (part.kind === 'item') {
    const { owner, index } = part.body;
    if (owner !== null) walk.drafts.push({ type: 'map.item', node: owner.path, index, outcome: 'failed', error });
  } else if (part.kind === 'node') {
    const { retry } = part.owner.placed.node;
    const { nowMs } = walk.options;
    walk.drafts.push(draftFailedExit(part.owner, { error, final, nowMs, ...(retry === undefined ? {} : { retry }) }));
  }
}
