/** How each event of a node changes the state of a run. Never decides what is next. */
import type { EventOf, EventType, NodePath } from '../../../events/index.ts';
import { nodePathOf } from '../../../events/index.ts';
import type { PlacedNode } from '../../document/graph.ts';
import type { GraphNode } from '../../document/types.ts';
import type { NodeCall } from '../types.ts';
import { dropBodies, dropBody, findPlace, openBody, openItems, settleNode } from './bodies.ts';
import { addFailure, keepFailures, removeFailure, tryAgain } from './failures.ts';
import type { RunDraft, WalkedBody, WalkedNode } from './progress.ts';

/** What an event does to the draft. */
export type Folder<T extends EventType> = (draft: RunDraft, event: EventOf<T>) => void;

/** The events of the walk, which say that the run goes on; what a person says of it does not. */
export const WALK_FOLDERS: { readonly [T in EventType]?: Folder<T> } = {
  'node.enter': foldEnter,
  'node.exit': foldExit,
  'node.skip': foldSkip,
  'branch.take': (draft, event) => {
    const node = workingNode(draft, event.node);
    if (node?.placed.node.kind !== 'branch') return;
    node.take = event.take;
    draft.progress.running.delete(node);
    listTask(draft, node);
  },
  'map.open': foldMapOpen,
  'map.item': foldMapItem,
  'fold.pass': foldPass,
  'gate.open': (draft, event) => {
    const node = workingNode(draft, event.node);
    if (node?.placed.node.kind !== 'gate' || node.gate !== undefined) return;
    node.gate = event;
    node.status = 'waiting';
    draft.progress.tasks.delete(node.path);
    draft.progress.gates.add(node);
  },
};

/** Other events that say something of a node. */
export const NODE_FOLDERS: { readonly [T in EventType]?: Folder<T> } = {
  'gate.answer': (draft, event) => {
    const node = nodeOf(draft, event.node);
    if (node?.status !== 'waiting' || node.gate?.seq !== event.gate) return;
    node.answer = event;
    node.status = 'running';
    draft.progress.gates.delete(node);
    listTask(draft, node);
  },
  'tool.intent': (draft, event) => {
    const node = workingNode(draft, event.node);
    if (node !== undefined) node.call = { intent: event };
  },
  'tool.result': (draft, event) => {
    const node = workingNode(draft, event.node);
    if (node?.call === undefined || node.call.intent.callId !== event.callId) return;
    if (node.placed.node.kind === 'tool') node.call = { ...node.call, result: event };
    else delete node.call;
  },
  'tool.resolve': (draft, event) => {
    const node = workingNode(draft, event.node);
    if (node?.call?.intent.seq !== event.intent) return;
    node.call = { ...(node.call as NodeCall), resolution: event };
  },
};

function nodeOf(draft: RunDraft, path: NodePath | undefined): WalkedNode | undefined {
  return path === undefined ? undefined : draft.nodes.get(path);
}

function workingNode(draft: RunDraft, path: NodePath | undefined): WalkedNode | undefined {
  const node = nodeOf(draft, path);
  return node?.status === 'running' ? node : undefined;
}

function listTask({ progress }: RunDraft, node: WalkedNode): void {
  progress.tasks.set(node.path, { body: node.body, id: node.id });
}

/** Whether a node of this kind is an effect, or only bookkeeping. */
function needsEffect(node: GraphNode): boolean {
  return node.kind === 'agent' || node.kind === 'tool' || (node.kind === 'branch' && node.choices !== undefined);
}

function foldEnter(draft: RunDraft, event: EventOf<'node.enter'>): void {
  const place = findPlace(draft, event.node);
  if (place === null) return;
  const { progress } = draft;
  const node = place.body.nodes.get(place.placed.id) ?? addNode(draft, place, event.seq);
  if (node.status === 'ok' || node.status === 'skipped') return;
  if (node.status === 'failed') removeFailure(progress, node);
  progress.delayed.delete(node);
  progress.tasks.delete(node.path);
  const { attempt, input, inputDigest, seq: lastEntered } = event;
  Object.assign(node, { status: 'running', attempt, input, inputDigest, lastEntered });
  delete node.error;
  delete node.retryAt;
  delete node.again;
  if (event.seq > draft.inheritedThrough) draft.steps += 1;
  if (!needsEffect(node.placed.node)) beginBookkeeping(draft, node);
  else if (node.take === undefined) progress.running.add(node);
  else listTask(draft, node);
}

function addNode(
  draft: RunDraft,
  { body, placed }: { readonly body: WalkedBody; readonly placed: PlacedNode },
  seq: number,
): WalkedNode {
  const { id } = placed;
  const path = nodePathOf(body.path, id);
  const start = { status: 'interrupted', attempt: 0, failures: 0, entered: seq, lastEntered: seq } as const;
  const node: WalkedNode = { path, id, ...start, placed, body };
  body.nodes.set(id, node);
  draft.nodes.set(path, node);
  return node;
}

/** What follows from entering a node whose doing is all in the log. */
function beginBookkeeping(draft: RunDraft, node: WalkedNode): void {
  const { kind } = node.placed.node;
  if (kind === 'gate' && node.gate !== undefined && node.answer === undefined) {
    node.status = 'waiting';
    draft.progress.gates.add(node);
    return;
  }
  if (kind === 'map' || kind === 'fold') beginBodies(draft, node);
  else listTask(draft, node);
}

/** A map or fold begins, or goes on where its items or passes stand: what failed in it is tried again. */
function beginBodies(draft: RunDraft, node: WalkedNode): void {
  const failed = node.bodies?.failed ?? [];
  node.bodies ??= { open: new Map(), outputs: [], next: 0, done: false, failed: [] };
  node.bodies.failed = [];
  tryAgain(draft.progress, failed);
  if (node.placed.node.kind === 'fold' && node.passes === undefined) {
    node.passes = 0;
    openBody(draft, node, 1);
  } else if (isAtEnd(node)) {
    listTask(draft, node);
  }
}

/** Whether a map is to be opened, or no item or pass of a map or fold is left to be done. */
function isAtEnd({ placed, items, passes = 0, bodies }: WalkedNode): boolean {
  const { node } = placed;
  if (node.kind === 'fold') return bodies?.done === true || passes >= node.maxPasses;
  return items === undefined || items.done === items.count;
}

function foldExit(draft: RunDraft, event: EventOf<'node.exit'>): void {
  const node = nodeOf(draft, event.node);
  if (node === undefined || (node.status !== 'running' && node.status !== 'waiting')) return;
  const { progress } = draft;
  progress.running.delete(node);
  progress.gates.delete(node);
  progress.tasks.delete(node.path);
  delete node.call;
  if (event.outcome === 'ok') finishNode(draft, node, outputOf(draft, event));
  else if (event.outcome === 'failed') failNode(draft, node, event);
  else {
    node.status = 'interrupted';
    listTask(draft, node);
  }
}

function failNode(draft: RunDraft, node: WalkedNode, { error, retryAt }: EventOf<'node.exit'>): void {
  const { progress } = draft;
  node.failures += 1;
  if (error !== undefined) node.error = error;
  keepFailures(progress, node);
  if (retryAt !== undefined) {
    node.status = 'delayed';
    node.retryAt = retryAt;
    progress.delayed.add(node);
  } else {
    node.status = 'failed';
    addFailure(progress, node);
  }
}

/** What a node put out, or what a person put in its place when the run was forked. */
function outputOf(draft: RunDraft, event: EventOf<'node.exit'>): unknown {
  const outputs = event.seq <= draft.inheritedThrough ? draft.forkedFrom?.changes?.outputs : undefined;
  const path = event.node ?? '';
  return outputs !== undefined && Object.hasOwn(outputs, path) ? outputs[path] : (event.output ?? null);
}

function finishNode(draft: RunDraft, node: WalkedNode, output: unknown): void {
  node.status = 'ok';
  node.output = output;
  draft.progress.failures.delete(node.path);
  dropBodies(draft, node);
  settleNode(draft, node);
}

function foldSkip(draft: RunDraft, event: EventOf<'node.skip'>): void {
  const place = findPlace(draft, event.node);
  if (place === null || place.body.nodes.has(place.placed.id)) return;
  const node = addNode(draft, place, event.seq);
  node.status = 'skipped';
  node.skipReason = event.reason;
  draft.progress.tasks.delete(node.path);
  settleNode(draft, node);
}

function foldMapOpen(draft: RunDraft, event: EventOf<'map.open'>): void {
  const node = workingNode(draft, event.node);
  if (node?.placed.node.kind !== 'map' || node.items !== undefined) return;
  node.items = { count: event.count, done: 0 };
  if (!isAtEnd(node)) draft.progress.tasks.delete(node.path);
  openItems(draft, node);
}

function foldMapItem(draft: RunDraft, event: EventOf<'map.item'>): void {
  const node = nodeOf(draft, event.node);
  const { bodies, items } = node ?? {};
  const { index } = event;
  if (node === undefined || bodies === undefined || items === undefined) return;
  if (index >= items.count || bodies.outputs[index] !== undefined) return;
  // As it will stand in the output: what the walk wrote of an error is an object without keys that mean more.
  bodies.outputs[index] = event.outcome === 'ok' ? (event.output ?? null) : { error: event.error };
  const body = bodies.open.get(index);
  if (body !== undefined) dropBody(draft, body);
  node.items = { count: items.count, done: items.done + 1 };
  openItems(draft, node);
  if (isAtEnd(node)) listTask(draft, node);
}

function foldPass(draft: RunDraft, event: EventOf<'fold.pass'>): void {
  const node = nodeOf(draft, event.node);
  const { bodies, placed, passes } = node ?? {};
  if (node === undefined || bodies === undefined || placed?.node.kind !== 'fold' || event.pass !== (passes ?? 0) + 1)
    return;
  if (placed.node.join === 'list') bodies.outputs.push(event.output);
  else bodies.outputs[0] = event.output;
  const body = bodies.open.get(event.pass);
  if (body !== undefined) dropBody(draft, body);
  node.passes = event.pass;
  bodies.done = event.done;
  if (isAtEnd(node)) listTask(draft, node);
  else openBody(draft, node, event.pass + 1);
}
