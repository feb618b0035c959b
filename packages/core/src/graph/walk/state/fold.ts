/**
 * The state of a graph run: a fold over its log, with the graph it walks.
 *
 * 1. Bookkeeping over recorded facts; what is next is `nextMoves`'s.
 * 2. Events through `forkedFrom.offset` are inherited: they count for what is finished, not for this run's own steps,
 *    usage or time. What a person changed holds there (`forkedFrom.changes`), what had failed is tried again, and a call
 *    that had no end is the source's alone.
 * 3. Events that do not fit (an unknown path, an exit of a node that is not at work, a second answer) are passed over.
 * 4. Of an agent's own events only usage and the call that has no result count here.
 */
import { type EventOf, type EventType, knownEvent, type LoggedEvent, type RunId } from '../../../events/index.ts';
import { addReply, NO_USAGE } from '../../../usage/index.ts';
import type { Graph } from '../../document/graph.ts';
import type { RunState } from '../types.ts';
import { makeProgress } from './bodies.ts';
import { releaseFailures } from './failures.ts';
import { type Folder, NODE_FOLDERS, WALK_FOLDERS } from './node-events.ts';
import type { RunDraft } from './progress.ts';

/** A fold that events are fed to in order; `state` is what they amount to so far. */
export interface RunFold {
  add(event: LoggedEvent): void;
  readonly state: RunState;
}

/** Starts a fold; the first event must be the `graph.start` of a run of this graph. */
export function createRunFold(graph: Graph): RunFold {
  const draft: RunDraft = {
    id: '' as RunId,
    graph: graph.hash,
    input: null,
    project: null,
    cwd: '',
    workspace: 'none',
    inheritedThrough: -1,
    status: 'running',
    nodes: new Map(),
    checkpoints: new Map(),
    workspaceReady: false,
    steps: 0,
    workedMs: 0,
    own: NO_USAGE,
    schema: 0,
    events: 0,
    progress: makeProgress(graph),
  };
  return {
    add: (event) => addEvent(draft, event),
    get state() {
      return draft;
    },
  };
}

function addEvent(draft: RunDraft, event: LoggedEvent): void {
  draft.events = event.seq + 1;
  if (Number.isSafeInteger(event.schema)) draft.schema = Math.max(draft.schema, event.schema as number);
  countTime(draft, event);
  const inherited = event.seq > 0 && event.seq <= draft.inheritedThrough;
  if (inherited && event.event0 !== undefined) {
    draft.progress.ancestorForkedAt = Math.min(draft.progress.ancestorForkedAt, event.seq);
  }
  const known = knownEvent(event);
  if (known !== null && isOpen(draft)) {
    const walk = WALK_FOLDERS[known.type] as Folder<EventType> | undefined;
    if (walk !== undefined) reopen(draft);
    (walk ?? FOLDERS[known.type])?.(draft, known as never);
  }
  if (inherited && event.seq === draft.inheritedThrough) {
    releaseFailures(draft.progress);
    dropCutCalls(draft);
    reopen(draft);
  }
}

/** Calls the fork cut off are the source's: what its child may make again is in the child's event 0. */
function dropCutCalls({ progress }: RunDraft): void {
  for (const node of progress.running) {
    if (node.call?.result === undefined && node.call?.resolution === undefined) delete node.call;
  }
}

function isOpen({ status }: RunDraft): boolean {
  return status === 'running' || status === 'failed';
}

/** An event of the walk after a `run.fail`: the run was gone on with. */
function reopen(draft: RunDraft): void {
  draft.status = 'running';
  delete draft.error;
  delete draft.failedAt;
}

/** A person's acts: the time before them is no work. */
const BY_PERSON: ReadonlySet<string> = new Set(['gate.answer', 'tool.resolve', 'approval.answer']);

/**
 * Adds the time since the last event when a node was at work in it. Time before a node is entered that had been left
 * open is none: its owner was dead.
 */
function countTime(draft: RunDraft, event: LoggedEvent): void {
  const timeMs = Date.parse(event.time);
  const spentMs = timeMs - draft.progress.lastTimeMs;
  const own = event.seq > draft.inheritedThrough + 1;
  const atWork = event.node !== undefined && draft.progress.running.size > 0 && !BY_PERSON.has(event.type);
  const left = event.type === 'node.enter' && draft.nodes.get(event.node ?? '')?.status === 'running';
  if (own && atWork && !left && spentMs > 0) draft.workedMs += spentMs;
  draft.progress.lastTimeMs = timeMs;
}

const FOLDERS: { readonly [T in EventType]?: Folder<T> } = {
  ...NODE_FOLDERS,
  'graph.start': foldStart,
  'workspace.open': (draft, event) => {
    if (event.node !== undefined) return;
    draft.workspaceOpen = event;
    draft.workspaceReady = event.seq > draft.inheritedThrough;
  },
  'workspace.restore': (draft, event) => {
    if (event.node === undefined) draft.workspaceReady = event.seq > draft.inheritedThrough;
  },
  'workspace.checkpoint': foldCheckpoint,
  'model.response': (draft, event) => {
    // A failed attempt that reported no tokens is no reply; one that did was billed.
    if (event.message === undefined && event.usage === undefined) return;
    if (event.seq > draft.inheritedThrough) draft.own = addReply(draft.own, event.usage, event.cost);
  },
  'run.complete': (draft, event) => {
    reopen(draft);
    draft.status = 'completed';
    draft.output = event.output;
  },
  'run.fail': (draft, event) => {
    draft.status = 'failed';
    draft.error = event.error;
    draft.failedAt = event.seq;
    releaseFailures(draft.progress);
  },
  'run.abandon': (draft) => {
    draft.status = 'abandoned';
  },
};

function foldStart(draft: RunDraft, event: EventOf<'graph.start'>): void {
  if (event.seq > 0) return;
  const { id, graph, input, project, cwd, workspace, forkedFrom } = event;
  Object.assign(draft, { id, graph, input, project, cwd, workspace });
  if (forkedFrom === undefined) return;
  draft.forkedFrom = forkedFrom;
  draft.inheritedThrough = forkedFrom.offset;
}

/** A checkpoint belongs to the run's workspace, unless its node has one of its own. */
function foldCheckpoint(draft: RunDraft, event: EventOf<'workspace.checkpoint'>): void {
  const node = event.node === undefined ? undefined : draft.nodes.get(event.node);
  const own = node !== undefined && 'workspace' in node.placed.node && node.placed.node.workspace === 'own';
  draft.checkpoints.set(own ? node.path : '', event);
}
