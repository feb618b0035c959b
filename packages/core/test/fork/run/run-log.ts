/** Builds logs of graph runs for tests of forks: events by hand, lines, children. */
import {
  type Contained,
  compileGraph,
  type Digest,
  type Effect,
  type EncodedLine,
  type EventDraft,
  encodeLine,
  type Graph,
  type GraphBody,
  type GraphDocument,
  hashGraph,
  isGraphProblems,
  isRefusal,
  planRunFork,
  type Refusal,
  type RunForkPlan,
  type RunForkRequest,
  type RunForkSource,
  type RunId,
  type ToolOutcomeKind,
  validateGraph,
  type WorkspaceKind,
  ZERO_DIGEST,
} from '@ramet/core';
import { encodeLog, makeForkSource, makeTestId, sha256 } from '@ramet/testkit';

/** A document of these parts, which must be valid. */
export function makeGraph(body: GraphBody): Graph {
  const document: GraphDocument = { schema: 1, ...body };
  const valid = validateGraph(document);
  if (isGraphProblems(valid)) throw new Error(JSON.stringify(valid));
  return compileGraph(valid, hashGraph(valid, sha256));
}

const FILE_TOOLS = new Map([
  ['read_file', 'read'],
  ['shell', 'write'],
] as const);

const DIGEST = 'ab'.repeat(32) as Digest;

export function enter(node: string, attempt = 1, input: unknown = null): EventDraft {
  return { type: 'node.enter', node, attempt, input, inputDigest: DIGEST };
}

export function exit(node: string, outcome: 'ok' | 'failed' | 'interrupted' = 'ok', attempt = 1): EventDraft {
  return { type: 'node.exit', node, attempt, outcome, ...(outcome === 'ok' ? { output: `of ${node}` } : {}) };
}

export function skip(node: string, reason: string): EventDraft {
  return { type: 'node.skip', node, reason };
}

export interface Call {
  readonly callId?: string;
  readonly tool?: string;
  readonly input?: unknown;
  readonly effect?: Effect;
  readonly contained?: Contained;
  readonly attempt?: number;
  readonly outcome?: ToolOutcomeKind;
  readonly egress?: readonly string[];
}

export function intent(node: string, call: Call = {}): EventDraft {
  const { callId = 'call', tool = 'send', input = { to: node }, effect = 'write', contained = false, attempt } = call;
  const again = attempt === undefined ? {} : { attempt };
  return { type: 'tool.intent', node, callId, tool, input, effect, contained, key: `key of ${node}`, ...again };
}

export function result(node: string, call: Call = {}): EventDraft {
  const { callId = 'call', tool = 'send', outcome = 'ok', egress } = call;
  const output = { type: 'text' as const, value: 'done' };
  return { type: 'tool.result', node, callId, tool, outcome, output, ...(egress === undefined ? {} : { egress }) };
}

export function resolve(
  node: string,
  offset: number,
  resolution: 'happened' | 'did_not_happen' | 'retry',
  callId = 'call',
): EventDraft {
  return { type: 'tool.resolve', node, callId, intent: offset, resolution };
}

export function checkpoint(id: string, node?: string): EventDraft {
  const changed = { added: 0, modified: 0, deleted: 0, paths: [] };
  const held = { files: 1, bytes: 1, head: 'refs/heads/main', commit: null, operation: null, leftOut: [], changed };
  return { type: 'workspace.checkpoint', id, ...held, ...(node === undefined ? {} : { node }) };
}

/** A node that is entered, makes a call, and exits. */
export function work(node: string, call: Call = {}): readonly EventDraft[] {
  return [enter(node), intent(node, call), result(node, call), exit(node)];
}

export interface RunParts {
  readonly workspace?: WorkspaceKind;
  readonly title?: string;
  readonly id?: RunId;
}

/** The lines of a run of a graph. */
export function buildRun(
  graph: Graph,
  drafts: readonly EventDraft[],
  { workspace = 'git', id = makeTestId(1), title }: RunParts = {},
): readonly EncodedLine[] {
  const start: EventDraft = {
    type: 'graph.start',
    schema: 1,
    id,
    graph: graph.hash,
    input: null,
    project: 'project-1',
    cwd: '/home/person',
    workspace,
    versions: {},
    ...(title === undefined ? {} : { title }),
  };
  return encodeLog([start, ...drafts]);
}

/** A source, cut into segments; a real log's first segment holds event 0 alone. */
export function sourceOf(graph: Graph, lines: readonly EncodedLine[], cuts: readonly number[] = [1]): RunForkSource {
  return { ...makeForkSource(lines, cuts), graph, fileTools: FILE_TOOLS };
}

/** A plan that must be one. */
export function planOf(source: RunForkSource, request: RunForkRequest): RunForkPlan {
  const plan = planRunFork(source, request);
  if (isRefusal(plan)) throw new Error(`${plan.code}: ${plan.message}`);
  return plan;
}

/** A refusal that must be one. */
export function refusalOf(source: RunForkSource, request: RunForkRequest): Refusal {
  const plan = planRunFork(source, request);
  if (!isRefusal(plan)) throw new Error('the fork was planned');
  return plan;
}

/** The lines of a child as a plan has it: an event 0 of its own, the prefix, and its own events. */
export function buildChild(
  lines: readonly EncodedLine[],
  plan: RunForkPlan,
  { own = [], id = makeTestId(2) }: { readonly own?: readonly EventDraft[]; readonly id?: RunId } = {},
): readonly EncodedLine[] {
  const { sourceEvent0Digest, fromNode, visit, graphHash, acknowledged, offset } = plan;
  const { changes, inheritedChanges } = plan;
  const all = { ...inheritedChanges, ...changes };
  const start = {
    ...(lines[0]?.event as unknown as EventDraft & { readonly type: 'graph.start' }),
    id,
    graph: graphHash,
    forkedFrom: {
      id: plan.source,
      offset,
      digest: lines[offset]?.digest ?? ZERO_DIGEST,
      fromNode,
      visit,
      graphHash,
      sourceEvent0Digest,
      acknowledgedWrites: acknowledged,
      ...(Object.keys(all).length === 0 ? {} : { changes: all }),
      time: '2031-01-01T00:00:00.000Z',
    },
  };
  const event0 = encodeLine({ seq: 0, prev: ZERO_DIGEST, time: '2031-01-01T00:00:00.000Z' }, start, sha256);
  return encodeLog(own, [event0, ...lines.slice(1, offset + 1)]);
}
