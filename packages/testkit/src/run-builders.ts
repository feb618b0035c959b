/**
 * Builds logs of graph runs for tests, beside those of sessions: a run from a plan of nodes, its lines, forks of it.
 *
 * 1. The same plan gives the same bytes.
 * 2. What is planned is a log the format allows; whether a document's walk makes it is not looked at.
 */
import {
  CHAIN_START,
  type Contained,
  canonicalJson,
  chainAfter,
  compileGraph,
  type Digest,
  type Effect,
  type EncodedLine,
  type EventDraft,
  type Graph,
  type GraphBody,
  hashGraph,
  isGraphProblems,
  type NodePath,
  nodeIdOf,
  type RewalkCall,
  type RunChanges,
  type RunId,
  type RunOrigin,
  type ToolOutcomeKind,
  validateGraph,
  type WorkspaceKind,
} from '@ramet/core';
import { encodeLog, makeTestId, sha256 } from './log-builders.ts';

/** One call of a node; what is absent is a contained write that went well. */
export interface NodeCallPlan {
  readonly callId?: string;
  readonly tool?: string;
  readonly input?: unknown;
  readonly effect?: Effect;
  readonly contained?: Contained;
  readonly key?: string;
  /** `null`: there is no result. */
  readonly outcome?: ToolOutcomeKind | null;
  readonly attempt?: number;
}

/** One entry of a node: `node.enter`, its calls, a checkpoint, `node.exit`. */
export interface NodePlan {
  readonly path: NodePath;
  /** Absent: 1. */
  readonly attempt?: number;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly calls?: readonly NodeCallPlan[];
  readonly checkpoint?: string;
  /** Absent: `ok`. `null`: no exit, the node is left at work. */
  readonly outcome?: 'ok' | 'failed' | 'interrupted' | null;
}

export interface GraphRunPlan {
  readonly id?: RunId;
  readonly graph?: Digest;
  readonly input?: unknown;
  readonly title?: string;
  readonly project?: string | null;
  readonly workspace?: WorkspaceKind;
  readonly labels?: Readonly<Record<string, string>>;
  readonly nodes: readonly NodePlan[];
}

/** The hash of no document: what built runs walk unless told. */
export const TEST_GRAPH = sha256('a test document');

/** A document of these parts, which must be valid. */
export function makeGraph(body: GraphBody): Graph {
  const valid = validateGraph({ schema: 1, ...body });
  if (isGraphProblems(valid)) throw new Error(JSON.stringify(valid));
  return compileGraph(valid, hashGraph(valid, sha256));
}

/** A document whose nodes run one after the other; each runs a program. */
export function makeChain(...ids: readonly string[]): Graph {
  const program = { kind: 'tool' as const, exec: { command: 'true' } };
  const edges = ids.slice(1).map((to, index) => ({ from: ids[index] ?? '', to }));
  return makeGraph({ nodes: Object.fromEntries(ids.map((id) => [id, program])), edges });
}

/** The events of a run, from `graph.start` on. */
export function buildRun(plan: GraphRunPlan): readonly EventDraft[] {
  return [buildRunStart(plan), ...plan.nodes.flatMap(buildNode)];
}

/** Event 0 of a run. */
export function buildRunStart(plan: Omit<GraphRunPlan, 'nodes'> & StartAdditions): EventDraft {
  const { id = makeTestId(1), graph = TEST_GRAPH, input = null, project = null, workspace = 'none', ...said } = plan;
  const start = { type: 'graph.start' as const, schema: 1, id, graph, input, project, cwd: '/home/person', workspace };
  return { ...start, versions: { ramet: '0.0.0' }, ...said };
}

/** What only a fork's event 0 says. */
export interface StartAdditions {
  readonly forkedFrom?: RunOrigin;
  readonly rewalk?: readonly RewalkCall[];
  readonly key?: string;
}

/** The events of one entry of a node. */
export function buildNode(plan: NodePlan): readonly EventDraft[] {
  const { path: node, attempt = 1, input = {}, output = null, calls = [], checkpoint, outcome = 'ok' } = plan;
  const exit = { type: 'node.exit' as const, node, attempt };
  const said = outcome === 'failed' ? { error: { code: 'node_failed', message: 'it failed' } } : {};
  return [
    { type: 'node.enter', node, attempt, input, inputDigest: sha256(canonicalJson(input)) },
    ...calls.flatMap((call, index) => buildNodeCall(node, call, index)),
    ...(checkpoint === undefined ? [] : [buildNodeCheckpoint(node, checkpoint)]),
    ...(outcome === null ? [] : [{ ...exit, outcome, ...(outcome === 'ok' ? { output } : said) }]),
  ];
}

function buildNodeCall(node: NodePath, plan: NodeCallPlan, index: number): readonly EventDraft[] {
  const { callId = `call-${index}`, tool = 'shell', input = { command: 'true' }, effect = 'write' } = plan;
  const { contained = true, key = `key-${node}.${callId}`, outcome = 'ok', attempt } = plan;
  const again = attempt === undefined ? {} : { attempt };
  const intent: EventDraft = { type: 'tool.intent', node, callId, tool, input, effect, contained, key, ...again };
  if (outcome === null) return [intent];
  const output = { type: 'text' as const, value: 'done' };
  return [intent, { type: 'tool.result', node, callId, tool, outcome, output }];
}

/** The checkpoint a node took. */
export function buildNodeCheckpoint(node: NodePath, id: string): EventDraft {
  const changed = { added: 1, modified: 0, deleted: 0, paths: ['file.txt'] };
  const rest = { files: 1, bytes: 10, head: 'refs/heads/main', commit: null, operation: null, leftOut: [], changed };
  return { type: 'workspace.checkpoint', node, id, ...rest };
}

/** What a built fork of a run says besides what its place in the log says. */
export interface BuiltRunFork {
  readonly id: RunId;
  /** Offset of the `node.enter` to fork at; absent: the last. */
  readonly at?: number;
  readonly graph?: Digest;
  readonly acknowledged?: readonly number[];
  readonly rewalk?: readonly RewalkCall[];
  readonly changes?: RunChanges;
}

/** Which visit of its node a path is, among the paths of `node.enter`s in the order of their log. */
export function visitAmong(entered: readonly NodePath[], path: NodePath): number {
  const places = new Set(entered.filter((other) => nodeIdOf(other) === nodeIdOf(path)));
  return [...places].indexOf(path) + 1;
}

function enteredIn(lines: readonly EncodedLine[]): readonly NodePath[] {
  return lines.flatMap(({ event: { type, node } }) => (type === 'node.enter' && node !== undefined ? [node] : []));
}

/** A child's lines: event 0 of its own, and the parent's from event 1 up to the boundary. */
export function buildRunFork(parent: readonly EncodedLine[], fork: BuiltRunFork): readonly EncodedLine[] {
  const at = fork.at ?? parent.findLastIndex(({ event }) => event.type === 'node.enter');
  const [start, ...rest] = parent;
  const boundary = parent[at]?.event;
  if (start?.event.type !== 'graph.start' || boundary?.type !== 'node.enter') throw new Error(`${at} is no boundary`);
  const { id, schema: _, seq: __, prev: ___, time: ____, type: _____, forkedFrom, rewalk, key, ...kept } = start.event;
  const { graph = start.event.graph, acknowledged = [], changes } = fork;
  const origin: RunOrigin = {
    id: id as RunId,
    offset: at - 1,
    digest: (parent[at - 1] as EncodedLine).digest,
    fromNode: boundary.node as NodePath,
    visit: visitAmong(enteredIn(parent), boundary.node as NodePath),
    graphHash: graph as Digest,
    sourceEvent0Digest: chainAfter(CHAIN_START, start).prev,
    acknowledgedWrites: acknowledged,
    ...(changes === undefined ? {} : { changes }),
    time: '2030-02-01T00:00:00.000Z',
  };
  const additions = { forkedFrom: origin, ...(fork.rewalk === undefined ? {} : { rewalk: fork.rewalk }) };
  const draft = buildRunStart({ ...kept, id: fork.id, graph: graph as Digest, ...additions });
  return [...encodeLog([draft]), ...rest.slice(0, at - 1)];
}
