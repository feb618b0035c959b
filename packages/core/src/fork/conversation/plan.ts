/**
 * Plans a session that is made of the conversation an agent's node had: pure; it reads the run's outline alone.
 *
 * 1. The node must be done with it: its `node.exit` says so, and its files were kept before that. Nothing is guessed.
 * 2. What lies in the run outside that conversation is not the session's: there is nothing to acknowledge.
 */
import { type Code, isRefusal, type Refusal, refuse } from '../../codes/index.ts';
import { type NodePath, nodeIdOf, type RunId, SCHEMA } from '../../events/index.ts';
import { fileUseOf, type Graph } from '../../graph/index.ts';
import type { GraphStartMark } from '../../log/index.ts';
import { type FoundNode, findRunBoundary } from '../run/boundary.ts';
import { resolveNodeName } from '../run/names.ts';
import { listSome } from '../run/refusals.ts';
import type { RunForkSource } from '../run/types.ts';
import { visitOf } from '../run/visits.ts';
import { listConversations, type NodeConversation } from './entries.ts';
import type { ConversationError, ConversationPlan, ConversationRequest } from './types.ts';

/** Plans which lines of a run a session is made of. */
export function planConversation(source: RunForkSource, request: ConversationRequest): ConversationPlan | Refusal {
  const start = source.heads[0]?.graph;
  if (start === undefined) return refuseTaking('not_a_graph_run', 'this log does not start a graph run');
  const schema = source.heads.reduce((highest, head) => Math.max(highest, head.schema), 0);
  if (schema > SCHEMA) return refuseNewer(start.id, schema);
  const { node, title: _, ...where } = request;
  // That the node is no agent comes before which of its places is meant.
  const named = node === undefined ? null : resolveNodeName(source.graph, node);
  if (isRefusal(named)) return named;
  const refusal = named === null ? null : refuseOther(source.graph, start.id, named.id);
  if (refusal !== null) return refusal;
  const found = findRunBoundary(source, { ...where, ...(node === undefined ? {} : { fromNode: node }) });
  if (isRefusal(found)) return found;
  return planAt(source, { start, found, request });
}

interface Chosen {
  readonly start: GraphStartMark;
  readonly found: FoundNode;
  readonly request: ConversationRequest;
}

function planAt(source: RunForkSource, { start, found, request }: Chosen): ConversationPlan | Refusal {
  const path = found.mark.node;
  const refusal = refuseOther(source.graph, start.id, nodeIdOf(path));
  if (refusal !== null) return refusal;
  const conversations = listConversations(source, path);
  const chosen =
    request.at === undefined
      ? conversations.at(-1)
      : conversations.find(({ entries }) => entries.some(({ offset }) => offset === request.at));
  if (chosen === undefined || chosen.exit === null) return refuseOpen(start.id, path, chosen);
  const { mark, segment } = chosen.exit;
  const { offset, attempt, position, bytes } = mark;
  return {
    source: start.id,
    node: path,
    visit: visitOf(source, found),
    attempt,
    from: chosen.entries[0]?.offset ?? offset,
    offset,
    exit: { segment, position, bytes },
    workspace: workspaceKindOf(source, start, path),
    project: start.project,
    ...(request.title === undefined ? {} : { title: request.title }),
  };
}

/** A node that uses no files of the run, and no copy of them, leaves a session none. */
function workspaceKindOf(
  { graph, fileTools }: RunForkSource,
  { workspace }: GraphStartMark,
  path: NodePath,
): ConversationPlan['workspace'] {
  const node = graph.nodes.get(nodeIdOf(path))?.node;
  if (node === undefined || fileUseOf(node, fileTools).kind === 'none') return 'none';
  return workspace === 'git' || workspace === 'directory' ? workspace : 'none';
}

function refuseOther(graph: Graph, run: RunId, id: string): Refusal | null {
  const kind = graph.nodes.get(id)?.node.kind;
  if (kind === 'agent') return null;
  const agents = [...graph.nodes.values()].flatMap((placed) => (placed.node.kind === 'agent' ? [placed.id] : []));
  const others = agents.length === 0 ? 'it has no agents' : `its agents are ${listSome(agents)}`;
  const message = `${id} of run ${run} is a ${kind ?? 'missing'} node: only an agent has a conversation that can become a session; ${others}`;
  return refuseTaking('not_a_session', message, { id: run, node: id, agents });
}

function refuseOpen(run: RunId, path: NodePath, conversation: NodeConversation | undefined): Refusal {
  const last = conversation?.entries.at(-1);
  const where = last === undefined ? '' : ` (attempt ${last.attempt}, entered at ${last.offset})`;
  const message = `${path} of run ${run} is not done${where}: its conversation can become a session when it is; go on with \`ramet resume ${run}\``;
  return refuseTaking('turn_open', message, {
    id: run,
    node: path,
    ...(last === undefined ? {} : { at: last.offset }),
  });
}

function refuseNewer(id: RunId, schema: number): Refusal {
  const message = `run ${id} was written with schema ${schema}; this version reads up to ${SCHEMA}: update ramet`;
  return refuseTaking('log_newer', message, { id, schema });
}

/** A refusal of a session that was to be made of a node's conversation. */
export function refuseTaking(
  code: ConversationError & Code,
  message: string,
  data: Record<string, unknown> = {},
): Refusal {
  return refuse(code, message, data);
}
