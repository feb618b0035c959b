/**
 * What has failed for good, and what fails with it: the run, an item of a collecting map, or the map or fold around it.
 *
 * 1. In a failed part nothing is begun; nodes at work there are stopped first, then the part itself fails.
 * 2. What failed stays as it is until what failed around it is tried again: then it is tried again, too.
 */
import type { BodyPath, NodePath } from '../../../events/index.ts';
import type { FailedPart, WalkedBody, WalkedNode, WalkProgress } from './progress.ts';

/** What fails when a node in this body fails for good. */
export function failedPartOf(body: WalkedBody): FailedPart {
  const { owner } = body;
  if (owner === null) return { kind: 'run', key: '', nodes: [] };
  const { node } = owner.placed;
  if (node.kind === 'map' && node.onFailure === 'collect') return { kind: 'item', key: body.path, body, nodes: [] };
  return { kind: 'node', key: owner.path, owner, nodes: [] };
}

/** Keys of the parts around what lies in a body, innermost first. */
export function keysAround(body: WalkedBody): readonly (BodyPath | NodePath)[] {
  const keys: (BodyPath | NodePath)[] = [];
  for (let at: WalkedBody | undefined = body; at !== undefined; at = at.owner?.body) {
    keys.push(at.path);
    if (at.owner !== null) keys.push(at.owner.path);
  }
  return keys;
}

/** Records that a node has failed for good. */
export function addFailure(progress: WalkProgress, node: WalkedNode): void {
  const fresh = failedPartOf(node.body);
  const part = progress.failures.get(fresh.key) ?? fresh;
  part.nodes.push(node);
  progress.failures.set(part.key, part);
}

/** Forgets that a node had failed: it was entered again. */
export function removeFailure(progress: WalkProgress, node: WalkedNode): void {
  const { key } = failedPartOf(node.body);
  const part = progress.failures.get(key);
  const at = part?.nodes.indexOf(node) ?? -1;
  if (part === undefined || at < 0) return;
  part.nodes.splice(at, 1);
  if (part.nodes.length === 0) progress.failures.delete(key);
}

/** A map or fold has failed: what failed in it waits until it is entered again. */
export function keepFailures(progress: WalkProgress, owner: WalkedNode): void {
  const part = progress.failures.get(owner.path);
  if (part === undefined || owner.bodies === undefined) return;
  owner.bodies.failed = [...owner.bodies.failed, ...part.nodes];
  progress.failures.delete(owner.path);
}

/** All that has failed for good is tried again: the run has failed and may be gone on with, or a child begins. */
export function releaseFailures(progress: WalkProgress): void {
  for (const part of progress.failures.values()) tryAgain(progress, part.nodes);
  progress.failures.clear();
}

/** Lets failed nodes be entered again, with all their tries. */
export function tryAgain(progress: WalkProgress, nodes: readonly WalkedNode[]): void {
  for (const node of nodes) {
    node.again = true;
    node.failures = 0;
    progress.tasks.set(node.path, { body: node.body, id: node.id });
  }
}

/** Whether nothing may be begun or finished in a body: a part around it fails, or waits to be tried again. */
export function isHeldBy(failing: ReadonlyMap<string, unknown>, body: WalkedBody): boolean {
  if (failing.size > 0 && keysAround(body).some((key) => failing.has(key))) return true;
  for (let at = body.owner; at !== null; at = at.body.owner) {
    if (at.status !== 'running') return true;
  }
  return false;
}
