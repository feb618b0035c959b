/** What an outline takes from the events of a graph run. */
import type { EventOf, RunOrigin } from '../../events/index.ts';
import type { Draft, OutlinedLine } from './draft.ts';
import type { Markers } from './markers.ts';
import { callKeyOf, type GraphStartMark, type NodeMark, type RunDescent } from './marks.ts';

export const RUN_MARKERS: Markers = {
  'graph.start': (draft, event, line) => {
    if (event.seq === 0) draft.head.graph = markGraphStart(event, line);
  },
  'node.enter': (draft, event, line) => {
    addNode(draft, line, { type: 'enter', attempt: event.attempt });
    if (event.node !== undefined) draft.enters += 1;
  },
  'node.exit': (draft, event, line) => {
    addNode(draft, line, { type: 'exit', attempt: event.attempt, outcome: event.outcome });
    forgetCalls(draft, event.node);
  },
  'node.skip': (draft, _, line) => addNode(draft, line, { type: 'skip', attempt: 0 }),
  'gate.open': ({ head }) => {
    head.gates = (head.gates ?? 0) + 1;
  },
  'gate.answer': ({ head }) => {
    head.gates = (head.gates ?? 0) - 1;
  },
  'run.complete': ({ head }, { seq: offset }) => {
    head.end = { offset, kind: 'completed' };
  },
  'run.fail': ({ head }, { seq: offset, error }) => {
    head.end = { offset, kind: 'failed', ...(typeof error.code === 'string' ? { code: error.code } : {}) };
  },
  'run.abandon': ({ head }, { seq: offset }) => {
    head.end = { offset, kind: 'abandoned' };
  },
};

function addNode(draft: Draft, line: OutlinedLine, said: Pick<NodeMark, 'type' | 'attempt' | 'outcome'>): void {
  const { seq: offset, node } = line.event;
  // A foreign log may hold an event of a node that names none.
  if (typeof node === 'string') draft.nodes.push({ ...said, offset, node, position: line.position, bytes: line.bytes });
}

/** Calls of a node that has exited have no results to come. */
function forgetCalls({ openContained }: Draft, node: string | undefined): void {
  const prefix = callKeyOf({ node: node ?? '', callId: '' });
  for (const key of openContained) if (key.startsWith(prefix)) openContained.delete(key);
}

function markGraphStart(event: EventOf<'graph.start'>, line: OutlinedLine): GraphStartMark {
  const { id, graph, project, workspace, cwd, title, forkedFrom } = event;
  return {
    id,
    graph,
    project,
    workspace,
    cwd,
    ...(title === undefined ? {} : { title }),
    time: forkedFrom?.time ?? event.time,
    ...(forkedFrom === undefined ? {} : { forkedFrom: originOf(forkedFrom) }),
    bytes: line.bytes,
  };
}

function originOf({ id, offset, digest, fromNode, changes }: RunOrigin): RunDescent {
  return { id, offset, digest, fromNode, changed: changes !== undefined };
}
